import compact from 'lodash/compact.js';
import isEqual from 'lodash/isEqual.js';
import uniq from 'lodash/uniq.js';
import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import { type HelmRelease, helmReleaseResource, shortenReleaseName } from '#api/flux/helm-release.js';
import { HelmDeploy } from '#api/v1alpha1/application-spec.js';
import type { Application } from '#api/v1alpha1/application.js';
import { ENTRY_KEY_ANNOTATION } from '#api/v1alpha1/labels.js';
import { isLegacy } from '#api/v1alpha1/ownership.js';
import { currentTarget, desiredTarget, reasonToMove, targetChange } from '#engine/flux/model/release-target.js';
import { defined } from '#lib/plain.js';
import { clusterNameOf, clusterText } from '../child/cluster.js';
import type { Child, ChildSpec, Entry, ReleaseKey } from '../child/types.js';
import { CONFIG_PATH, fluxSpecOf, helmReleaseOf, withFluxSpec } from '../spec/flux-spec.js';
import { FORM_CHECKS, sourceIsElsewhere, sourceIsMissing } from '../spec/source-checks.js';
import { type FoundTemplate, helmSpecOf } from '../spec/template-lookup.js';
import { RELEASE_CHECKS } from './checks.js';
import {
  chartAndTemplateAreNotOne,
  chartFields,
  ignoredOfChart,
  mergeTemplate,
  signersAreNamed,
  unreadValues,
  versionIsNoRange,
  withDriftDetection,
  withSuspend,
} from './fields.js';
import { NAME_RULES, releaseRules, textOf } from './match-rules.js';
import type { Backend, MatchRule, Reinstallation } from './types.js';

/** The segments of a chart's path. For a HelmRepository, the only segment is the chart's name. */
function partsOf({ spec }: HelmRelease): string[] {
  return spec.chart?.spec.chart.split('/').filter((part) => part !== '' && part !== '.') ?? [];
}

/** True for `2`, `v1.2` or `1.2.3-rc.1`. Other folders can begin with a digit, as `01-base` does. */
function isVersion(part: string): boolean {
  return /^v?(0|[1-9]\d*)((\.\d+)+([-+].*)?)?$/.test(part);
}

/** The last segment that is no version. */
function chartInSpec(child: Child): string | undefined {
  const parts = partsOf(child as unknown as HelmRelease);
  return parts.findLast((part) => !isVersion(part)) ?? parts.at(-1);
}

/** True for the same path, or one that ends in the chart's name and a version. */
function isSamePath(before: HelmRelease, after: HelmRelease, chart: string): boolean {
  const parts = partsOf(after);
  return isEqual(partsOf(before), parts) || (parts.at(-2) === chart && isVersion(parts.at(-1) ?? ''));
}

/**
 * The desired chart name, as far as the spec shows it. Outside a HelmRepository, the last segment of the path may be a
 * version or any folder. If it was not the chart's name before, the installed name is kept in two cases: the path is
 * unchanged, or ends in that name and a version. The source tells nothing: those of Fairlead have a new name for each
 * version or digest.
 */
function wantedChart(before: HelmRelease, after: HelmRelease, installed: string): string {
  const wanted = partsOf(after).at(-1);
  if (wanted === undefined) return installed;
  const isNamed = after.spec.chart?.spec.sourceRef.kind === 'HelmRepository';
  if (isNamed || partsOf(before).at(-1) === installed) return wanted;
  return isSamePath(before, after, installed) ? installed : wanted;
}

/**
 * The reinstallation that applying `object` would cause. Applies the engine's rule to the release that was installed
 * last. If no release is known yet, it compares the two specs.
 */
function reinstallationOfRelease(live: Child, object: Child): Reinstallation | undefined {
  // The schemas of both objects ensure that they are HelmReleases.
  const before = live as unknown as HelmRelease;
  const after = { ...object, status: live.status } as unknown as HelmRelease;
  const installed = before.status?.history?.[0]?.chartName;
  const chart = wantedChart(before, after, installed ?? '');
  const target = desiredTarget(after);
  const isInstalled = currentTarget(before) !== undefined;
  const why = isInstalled ? reasonToMove(after, chart) : targetChange(desiredTarget(before), target);
  if (why === undefined) return undefined;
  return { why, to: JSON.stringify([target.releaseName, target.namespace, target.storageNamespace, chart]) };
}

/**
 * A child that somebody left, as its spec says, while its status says nothing: a restore may have lost it, and an engine
 * that installed nothing would say so.
 */
function takenAsInstalled(child: Child): Child {
  if (child.status?.observedGeneration !== undefined) return child;
  const { releaseName, namespace, storageNamespace } = desiredTarget(child as unknown as HelmRelease);
  const chartName = chartInSpec(child) ?? '';
  const history = [{ name: releaseName, namespace, chartName }];
  return { ...child, status: { history, storageNamespace } };
}

/** The installed name, and that of the spec: the last segment of its path, or the one before a version. */
function chartNames(child: Child): string[] {
  // The schema of the object ensures that it is a HelmRelease.
  const release = child as unknown as HelmRelease;
  const parts = partsOf(release);
  const [last, before] = [parts.at(-1), parts.at(-2)];
  const beforeVersion = last !== undefined && isVersion(last) ? before : undefined;
  return uniq(compact([release.status?.history?.[0]?.chartName, last, beforeVersion]));
}

const { kind } = helmReleaseResource;
const ENTRIES_PATH = `${CONFIG_PATH}.helmRelease.deploy`;
const TEMPLATE_PATH = `${CONFIG_PATH}.helmRelease.template`;

/** Names of existing children are derived from this text: it must never change. */
function keyText({ cluster, storageNamespace, releaseName }: ReleaseKey): string {
  return JSON.stringify([cluster, storageNamespace, releaseName]);
}

function liveKey({ metadata, spec }: Child): ReleaseKey {
  const ownName = spec.targetNamespace === undefined ? metadata.name : `${spec.targetNamespace}-${metadata.name}`;
  return {
    kind,
    cluster: clusterText(spec.kubeConfig),
    storageNamespace: spec.storageNamespace ?? metadata.namespace ?? 'default',
    releaseName: spec.releaseName ?? shortenReleaseName(ownName),
  };
}

function madeKey(child: Child): ReleaseKey | undefined {
  const wanted = liveKey(child);
  const { history, storageNamespace } = child.status ?? {};
  const releaseName = history?.[0]?.name;
  if (releaseName === undefined) return undefined;
  return { ...wanted, releaseName, storageNamespace: storageNamespace ?? wanted.storageNamespace };
}

/** True if the release of the child has everything that the entry states. */
function agrees({ stated }: Entry, child: Child): boolean {
  const live = liveKey(child);
  const { releaseName = live.releaseName, storageNamespace = live.storageNamespace } = stated;
  return live.releaseName === releaseName && live.storageNamespace === storageNamespace;
}

/** A child of ks-devops keeps its release, whatever our defaults are, unless the entry states another one. */
function releaseOf(entry: Entry, live: Child | undefined): ReleaseKey {
  return live !== undefined && isLegacy(live) && agrees(entry, live) ? liveKey(live) : entry.release;
}

function targetText(namespace: string | undefined, releaseName: string | undefined): string {
  return JSON.stringify([kind, namespace ?? '', releaseName]);
}

/** Statuses of a revision that was deployed at least once. A release without one has no objects to protect. */
const APPLIED: readonly unknown[] = ['deployed', 'superseded'];

/**
 * The namespace of the release record is ignored: Helm marks objects with the name and target namespace of a release.
 */
function targetsOf(child: Child): ReturnType<Backend['targetsOf']> {
  const { history = [] } = child.status ?? {};
  const [newest] = history;
  const isThere = newest?.status !== 'uninstalled' && history.some(({ status }) => APPLIED.includes(status));
  return {
    stated: targetText(namespaceOf(child), liveKey(child).releaseName),
    applied: isThere ? targetText(newest?.namespace ?? namespaceOf(child), newest?.name) : undefined,
  };
}

function desiredSpec(application: Application, entry: Entry, live: Child | undefined): ChildSpec {
  const { targetNamespace, kubeConfig } = entry;
  const { releaseName, storageNamespace } = releaseOf(entry, live);
  return {
    ...entry.fields,
    ...chartFields(application),
    releaseName,
    ...defined({ targetNamespace }),
    storageNamespace,
    ...defined({ kubeConfig }),
  };
}

/** Without a target namespace, a chart is installed in the namespace of its child. */
function namespaceOf({ metadata, spec }: Child): string | undefined {
  return spec.targetNamespace ?? metadata.namespace;
}

/** Children of ks-devops only have their destination; the entry must not state a different release. */
const ITS_DESTINATION: MatchRule = {
  ofEntry: ({ release, targetNamespace }) => textOf(release.cluster, targetNamespace),
  ofChild: (child) => {
    const key = child.metadata.annotations?.[ENTRY_KEY_ANNOTATION];
    if (!isLegacy(child) || key === undefined) return undefined;
    return textOf(clusterText(child.spec.kubeConfig), namespaceOf(child));
  },
  agrees,
};

function usesOwnSource(application: Application): boolean {
  return helmReleaseOf(application)?.template === undefined;
}

function withTemplates(application: Application, found: ReadonlyMap<string, FoundTemplate>): Application {
  const template = found.get(TEMPLATE_PATH);
  const flux = fluxSpecOf(application);
  const release = helmReleaseOf(application);
  const chart = template === undefined ? undefined : helmSpecOf(template.spec)?.chart;
  if (template === undefined || flux === undefined || release === undefined || chart === undefined) return application;
  const deploy = release.deploy.map((entry) => mergeTemplate(template.spec, entry));
  const { sourceRef } = template.spec;
  const config = { ...flux.config, helmRelease: { chart, deploy } };
  return withFluxSpec(application, { ...flux, source: { sourceRef }, config });
}

function describePlace(child: Child): string {
  const { storageNamespace, releaseName } = liveKey(child);
  return `release ${storageNamespace}/${releaseName} on ${clusterNameOf(child)}`;
}

/** Helm releases, by Flux's HelmRelease. */
export const helmRelease: Backend = {
  kind,
  resource: helmReleaseResource,
  engine: 'fluxcd',
  isOptional: false,

  isAsked: (application) => helmReleaseOf(application) !== undefined,
  entries: (application) => helmReleaseOf(application)?.deploy ?? [],
  entriesPath: ENTRIES_PATH,
  entrySchema: HelmDeploy,
  defaults: { interval: '10m' },
  fluxFields: (fields) => withDriftDetection(withSuspend(fields)),
  // A chart needs a namespace.
  targetNamespace: ({ metadata }, stated) => stated ?? metadata.namespace ?? 'default',
  keyOf: ({ metadata }, merged, targetNamespace = '') => ({
    kind,
    cluster: clusterText(merged.destination?.kubeConfig),
    storageNamespace: merged.storageNamespace ?? targetNamespace,
    releaseName: merged.releaseName ?? shortenReleaseName(metadata.name),
  }),
  checks: [
    ...FORM_CHECKS,
    chartAndTemplateAreNotOne,
    sourceIsMissing(usesOwnSource),
    sourceIsElsewhere(usesOwnSource),
    versionIsNoRange,
    signersAreNamed,
  ],
  entryChecks: RELEASE_CHECKS,
  usesOwnSource,
  templateUses: (application) => {
    const text = helmReleaseOf(application)?.template;
    const namespace = application.metadata.namespace ?? '';
    return text === undefined ? [] : [{ kind: 'HelmTemplate', text, path: TEMPLATE_PATH, namespace }];
  },
  withTemplates,
  warning: ignoredOfChart,
  desiredSpec,
  unreadValues,

  keyText,
  liveKey,
  madeKey,
  selectionText: ({ storageNamespace, releaseName }) => `release ${storageNamespace}/${releaseName}`,
  isHolder: () => true,
  workText: (child) => keyText(liveKey(child)),
  targetOf: (_, entry, live) => targetText(entry.targetNamespace, releaseOf(entry, live).releaseName),
  targetsOf,
  contentsOf: chartNames,
  // Cluster-wide objects are called after the release.
  areNamesakes: (child, other) => liveKey(child).releaseName === liveKey(other).releaseName,
  namespaceOf,
  chartOf: chartInSpec,
  reinstallation: reinstallationOfRelease,
  otherThan: (application, entry, orphan) => {
    const live = takenAsInstalled(orphan);
    return reinstallationOfRelease(live, { ...live, spec: desiredSpec(application, entry, live) })?.why;
  },
  matchRules: [...releaseRules({ keyText, liveKey }), ...NAME_RULES, ITS_DESTINATION],
  matchRest: () => ({ childOf: new Map(), unclear: new Map() }),

  releaseName: ({ releaseName }) => releaseName,
  describeHeld: ({ storageNamespace, releaseName }) => `release ${storageNamespace}/${releaseName}`,
  describePlace,
  describeMove: (live, object) =>
    `${describePlace(live)} is removed first, followed by ${describePlace(object)} in namespace ${namespaceOf(object) ?? ''}`,
  describeTarget: ({ release, targetNamespace }) =>
    `release ${release.releaseName} in namespace ${targetNamespace ?? ''}`,
  targetFields: 'releaseName or targetNamespace',
  deletionVerb: 'uninstalls',
  describeDuplicate: ({ release }) =>
    `release ${release.storageNamespace}/${release.releaseName} on the same cluster: set a different releaseName, or remove one`,
  describeCandidate: ({ metadata }) => metadata.name,

  awaitsSource: () => false,
  // A Helm release is only Unknown during an action.
  isPeriodicReconcile: () => false,
  requests: [REQUESTED_AT_ANNOTATION, FORCE_AT_ANNOTATION, RESET_AT_ANNOTATION],
  consoleField: 'helmReleaseStatus',
};
