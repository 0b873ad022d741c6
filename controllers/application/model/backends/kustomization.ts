import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { KustomizationDeploy } from '#api/v1alpha1/application-spec.js';
import type { Application } from '#api/v1alpha1/application.js';
import { ENTRY_NAME_ANNOTATION, MANAGED_BY_LABEL } from '#api/v1alpha1/labels.js';
import { defined } from '#lib/plain.js';
import { clusterNameOf, clusterText } from '../child/cluster.js';
import { currentCondition, isApplications } from '../child/metadata.js';
import { filesName } from '../child/messages.js';
import type { Child, ChildSpec, Entry, ReleaseKey } from '../child/types.js';
import type { ApplicationCheck } from '../child/verdicts.js';
import {
  CONFIG_PATH,
  fluxSpecOf,
  kustomizationOf,
  SOURCE_PATH,
  sourceOf,
  sourceReference,
  withFluxSpec,
} from '../spec/flux-spec.js';
import { FORM_CHECKS, sourceIsElsewhere, sourceIsMissing } from '../spec/source-checks.js';
import type { FoundTemplate, TemplateUse } from '../spec/template-lookup.js';
import { DESTINATION_CHECKS } from './checks.js';
import { mergeTemplate, withSuspend } from './fields.js';
import {
  directoryOf,
  entryObjectsText,
  entryWorkText,
  filesTarget,
  filesText,
  liveFilesText,
  liveObjectsText,
  matchFiles,
  NAME_RULES,
  objectsText,
  releaseRules,
} from './match-rules.js';
import type { Backend, MatchRule } from './types.js';

const { kind } = kustomizationResource;
const ENTRIES_PATH = `${CONFIG_PATH}.kustomization`;

function keyText(key: ReleaseKey): string {
  return JSON.stringify([kind, key.cluster, key.storageNamespace, key.releaseName]);
}

function liveKey({ metadata, spec }: Child): ReleaseKey {
  const owner = metadata.labels?.[MANAGED_BY_LABEL] ?? '';
  return {
    kind,
    cluster: clusterText(spec.kubeConfig),
    storageNamespace: spec.targetNamespace ?? '',
    releaseName: filesName(owner, metadata.annotations?.[ENTRY_NAME_ANNOTATION]),
  };
}

function targetText(child: Pick<Child, 'spec' | 'metadata'>): string {
  return JSON.stringify([kind, filesTarget(child)]);
}

function desiredSpec(application: Application, { fields, targetNamespace, kubeConfig }: Entry): ChildSpec {
  return {
    ...fields,
    sourceRef: fields['sourceRef'] ?? sourceReference(application),
    ...defined({ targetNamespace, kubeConfig }),
  };
}

/**
 * What is applied stays where it is wanted. Nothing is known of what an entry applies whose template cannot be used,
 * and what a child applies that is being deleted goes in any case.
 */
function ruleOf(ofEntry: MatchRule['ofEntry'], ofChild: MatchRule['ofChild']): MatchRule {
  return {
    ofEntry: (entry) => (entry.lacksTemplate ? undefined : ofEntry(entry)),
    ofChild: (child) => (child.metadata.deletionTimestamp === undefined ? ofChild(child) : undefined),
    isUnique: true,
  };
}

/** Entries whose templates read sources of their own. */
const ITS_WORK = ruleOf(entryWorkText, objectsText);

/** To give its Kustomization the variables of another would prune it. */
const ITS_OBJECTS = ruleOf(entryObjectsText, liveObjectsText);

/** To give its Kustomization another directory would prune it. */
const ITS_FILES = ruleOf(filesText, liveFilesText);

const BY_RELEASE = releaseRules({ keyText, liveKey });

/** The key of files is hardly more than a name: another entry may mean what the child of that name applies. */
const BY_RELEASE_AND_FILES = BY_RELEASE.map((rule): MatchRule => ({
  ...rule,
  agrees: ({ fields }, { spec }) => directoryOf(fields) === directoryOf(spec),
}));

const sourceHasNoFiles: ApplicationCheck = (application) => {
  if (sourceOf(application)?.kind !== 'HelmRepository') return undefined;
  const message = `${SOURCE_PATH}.sourceRef.kind: a HelmRepository has charts, but no files for ${ENTRIES_PATH}; use a GitRepository, OCIRepository or Bucket`;
  return { reason: 'SourceUnsuitable', message };
};

function usesOwnSource(application: Application): boolean {
  const entries = kustomizationOf(application) ?? [];
  return entries.length === 0 || entries.some(({ template }) => template === undefined);
}

function templateUses(application: Application): TemplateUse[] {
  const namespace = application.metadata.namespace ?? '';
  return (kustomizationOf(application) ?? []).flatMap(({ template }, index): TemplateUse[] => {
    const entryPath = `${ENTRIES_PATH}[${index}]`;
    if (template === undefined) return [];
    return [{ kind: 'KustomizationTemplate', text: template, path: `${entryPath}.template`, entryPath, namespace }];
  });
}

function withTemplates(application: Application, found: ReadonlyMap<string, FoundTemplate>): Application {
  const flux = fluxSpecOf(application);
  const entries = kustomizationOf(application);
  if (flux === undefined || entries === undefined) return application;
  const files = entries.map((entry, index) => {
    const template = found.get(`${ENTRIES_PATH}[${index}].template`);
    return template === undefined ? entry : mergeTemplate(template.spec, entry);
  });
  return withFluxSpec(application, { ...flux, config: { ...flux.config, kustomization: files } });
}

function placeText(entry: Entry): string {
  const { storageNamespace } = entry.release;
  const cluster = `cluster ${entry.clusterName}`;
  return storageNamespace === '' ? cluster : `namespace ${storageNamespace} of ${cluster}`;
}

/** True if the engine has seen the spec. Unless the child is suspended, a deletion may raise the generation by one. */
function isObserved({ metadata, spec, status = {} }: Child): boolean {
  const { generation = 0, deletionTimestamp } = metadata;
  const isDeleted = deletionTimestamp !== undefined && spec.suspend !== true;
  return (status.observedGeneration ?? -1) >= generation - (isDeleted ? 1 : 0);
}

/** True while Flux reports Unknown at its interval, without a new spec or revision. */
function isPeriodicReconcile({ metadata, status = {} }: Child): boolean {
  const { observedGeneration = -1, lastAppliedRevision, lastAttemptedRevision } = status;
  if (observedGeneration < (metadata.generation ?? 0)) return false;
  return lastAppliedRevision !== undefined && lastAppliedRevision === lastAttemptedRevision;
}

/** After the first attempt, the same reason means that an artifact could not be fetched. */
function awaitsSource(child: Child): boolean {
  if (child.status?.lastAttemptedRevision !== undefined) return false;
  return currentCondition(child, 'Ready')?.reason === 'ArtifactFailed';
}

function prunes({ spec }: Child): boolean {
  return spec['prune'] === true;
}

function namespacesOf({ spec }: Child): string {
  return spec.targetNamespace ?? 'the namespaces of its files';
}

function describePlace(child: Child): string {
  return `what it applied to ${namespacesOf(child)} on ${clusterNameOf(child)}`;
}

/**
 * Files that are applied, by Flux's Kustomization. They are recorded nowhere: their key is the target namespace (or
 * nothing), and the Application with the name of the entry.
 */
export const kustomization: Backend = {
  kind,
  resource: kustomizationResource,
  engine: 'fluxcd',
  // Flux may be installed without its kustomize-controller, and then without the CRD.
  isOptional: true,

  isAsked: (application) => kustomizationOf(application) !== undefined,
  entries: (application) => kustomizationOf(application) ?? [],
  entriesPath: ENTRIES_PATH,
  entrySchema: KustomizationDeploy,
  defaults: { interval: '10m', prune: true },
  fluxFields: withSuspend,
  // Files may have namespaces of their own, which a default would override.
  targetNamespace: (_, stated) => stated,
  keyOf: ({ metadata }, merged, targetNamespace = '') => ({
    kind,
    cluster: clusterText(merged.destination?.kubeConfig),
    storageNamespace: targetNamespace,
    releaseName: filesName(metadata.name, merged.name),
  }),
  checks: [...FORM_CHECKS, sourceIsMissing(usesOwnSource), sourceHasNoFiles, sourceIsElsewhere(usesOwnSource)],
  entryChecks: DESTINATION_CHECKS,
  usesOwnSource,
  templateUses,
  withTemplates,
  warning: () => undefined,
  desiredSpec,
  unreadValues: () => [],

  keyText,
  liveKey,
  madeKey: () => undefined,
  selectionText: ({ storageNamespace }) => `files ${storageNamespace}`,
  // Others are not ours.
  isHolder: isApplications,
  workText: objectsText,
  targetOf: (application, entry) =>
    targetText({ metadata: application.metadata, spec: desiredSpec(application, entry) }),
  targetsOf: (child) => {
    const stated = targetText(child);
    // The status names no path: it is about the spec only as long as nobody has edited that.
    const isOfSpec = child.status?.lastAppliedRevision !== undefined && isObserved(child);
    return { stated, applied: isOfSpec ? stated : undefined };
  },
  contentsOf: ({ spec }) => [directoryOf(spec)],
  areNamesakes: (child, other) => directoryOf(child.spec) === directoryOf(other.spec),
  namespaceOf: ({ spec }) => spec.targetNamespace,
  chartOf: () => undefined,
  reinstallation: (live, object) => {
    const [before, after] = [live, object].map(({ spec }) => spec.targetNamespace);
    if (before === after || !prunes(object)) return undefined;
    const [from, to] = [before ?? 'as in the files', after ?? 'as in the files'];
    return { why: `target namespace ${from} -> ${to}`, to: after ?? '' };
  },
  otherThan: (application, entry, orphan) => {
    const spec = desiredSpec(application, entry);
    if (!entry.lacksTemplate && targetText({ metadata: application.metadata, spec }) === targetText(orphan)) return;
    const [from, to] = [orphan.spec, spec].map(directoryOf);
    return from === to ? 'a source, a namespace or names that differ' : `path ${from || '.'} -> ${to || '.'}`;
  },
  matchRules: [ITS_WORK, ITS_OBJECTS, ...BY_RELEASE_AND_FILES, ITS_FILES, ...BY_RELEASE, ...NAME_RULES],
  matchRest: (entries, children) =>
    matchFiles(
      entries.filter(({ lacksTemplate }) => !lacksTemplate),
      children,
    ),

  releaseName: () => undefined,
  describeHeld: () => 'the same files',
  describePlace,
  describeMove: (live, object) => {
    const left = prunes(object) ? 'is pruned afterwards' : 'stays, because prune is false';
    return `its files are applied to ${namespacesOf(object)} first, and ${describePlace(live)} ${left}`;
  },
  describeTarget: ({ fields }) => `the files in ${directoryOf(fields) || '.'} of the same source`,
  targetFields: 'path or targetNamespace',
  deletionVerb: 'deletes',
  describeDuplicate: (entry) => `${placeText(entry)}: give each its own name, or remove one`,
  describeCandidate: ({ metadata, spec }) => `${metadata.name} (${directoryOf(spec) || '.'})`,

  awaitsSource,
  isPeriodicReconcile,
  // Force and reset mean something to releases only.
  requests: [REQUESTED_AT_ANNOTATION],
  consoleField: 'kustomizationStatus',
};
