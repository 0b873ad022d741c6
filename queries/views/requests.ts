import type { Application } from '#api/v1alpha1/application.js';
import { clusterPins } from './rollback-requests.js';
import { type AnnotationRequest, type Requested } from './rollout-requests.js';
import {
  APPROVE_REMOVALS_ANNOTATION,
  PIN_ANNOTATION,
  ABANDON_ANNOTATION,
  abandonedNames,
  EVERY_CLUSTER,
  GITOPS_GROUP,
} from '#api/v1alpha1/labels.js';
import { viewOf } from './application-view.js';
import { listed } from '#lib/text/text.js';
import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject } from '#api/meta.js';
import { knownState } from '#api/v1alpha1/states.js';
import type { ClusterReference } from '#api/v1alpha1/destination.js';
import type { Template, TemplateKind } from '#api/v1alpha1/template.js';
import { shownCluster } from '#api/v1alpha1/cluster-name.js';
import { defined } from '#lib/plain.js';

export const DRY_RUN_NOTE = ' (dry run: nothing is written)';

/** The text after an act, which may have been a dry run. */
export function doneText(done: string, isDryRun: boolean): string {
  return isDryRun ? done + DRY_RUN_NOTE : done;
}

/** The merge patch that asks for it, of the Application as it was read: if it changed since, the server refuses. */
export function requestPatch({ metadata }: Application, { annotations, labels, spec }: AnnotationRequest): object {
  const { resourceVersion } = metadata;
  return {
    metadata: { resourceVersion, annotations, ...(labels === undefined ? {} : { labels }) },
    ...(spec === undefined ? {} : { spec }),
  };
}

/**
 * The annotation that approves the removals that wait, by the value of those that were seen: if others wait by now, they
 * are not approved. Never throws.
 */
export function approveRemovalsRequest(application: Application, seen: string | undefined): Requested {
  const { approval } = viewOf(application);
  if (approval === '') return { problem: 'no removals wait for an approval' };
  if (seen !== approval) {
    return { problem: 'other removals wait than those of this approval: look at what would be removed now' };
  }
  const { held = 0 } = application.status?.removals ?? {};
  const releases = held === 1 ? 'the removal of 1 release is' : `the removals of ${held} releases are`;
  return { annotations: { [APPROVE_REMOVALS_ANNOTATION]: approval }, done: `${releases} approved` };
}

const NAMED = 10;

type Config = NonNullable<Application['spec']['fluxApp']>['spec']['config'];

/** Why nothing may be asked of an Application that Flux's kinds do not carry out; else its configuration. */
function fluxConfig({ spec, status }: Application): { readonly config: Config } | { readonly problem: string } {
  const config = spec.fluxApp?.spec.config;
  if ((status?.kind ?? spec.kind) === 'argocd') return { problem: 'it has kind argocd, which is not reconciled yet' };
  return config === undefined ? { problem: 'it has no spec.fluxApp.spec.config' } : { config };
}

/** Entries that say by themselves whether they are suspended, as `deploy[2]`. */
function entriesWith({ helmRelease, kustomization }: Config, suspended: boolean): string[] {
  const lists = { deploy: helmRelease?.deploy ?? [], kustomization: kustomization ?? [] };
  return Object.entries(lists).flatMap(([list, entries]) =>
    entries.flatMap(({ name, suspend, paused }, index) =>
      (suspend ?? paused) === suspended ? [name ?? `${list}[${index}]`] : [],
    ),
  );
}

function inSpec(suspend: true | null): Pick<Extract<Requested, { done: string }>, 'annotations' | 'spec'> {
  return { annotations: {}, spec: { fluxApp: { spec: { config: { suspend } } } } };
}

/** Suspends all entries that do not say otherwise. Never throws. */
export function suspendRequest(application: Application): Requested {
  const found = fluxConfig(application);
  if ('problem' in found) return found;
  const { name, annotations = {} } = application.metadata;
  const pin = annotations[PIN_ANNOTATION];
  if (pin !== undefined) {
    return { problem: `it is pinned to revision ${pin}, which counts: \`fairlead rollback ${name} --release\` first` };
  }
  if (found.config.suspend === true) return { problem: 'it is suspended already' };
  const others = entriesWith(found.config, false);
  const pinned = [...clusterPins(application).keys()];
  const except = [
    others.length === 0 ? '' : `; not suspended, for they say so themselves: ${listed(others, NAMED)}`,
    pinned.length === 0 ? '' : `; pinned clusters are as their revisions say: ${listed(pinned, NAMED)}`,
  ].join('');
  const done = `suspended: what runs stays, and nothing is reconciled until \`fairlead resume ${name}\`${except}`;
  return { ...inSpec(true), done };
}

/** Ends that. Never throws. */
export function resumeRequest(application: Application): Requested {
  const found = fluxConfig(application);
  if ('problem' in found) return found;
  const own = entriesWith(found.config, true);
  const bySelf = `suspended by themselves, where the Application comes from: ${listed(own, NAMED)}`;
  if (found.config.suspend !== true) return { problem: own.length === 0 ? 'it is not suspended' : bySelf };
  return { ...inSpec(null), done: own.length === 0 ? 'resumed' : `resumed; ${bySelf}` };
}

export interface SyncInput {
  readonly application: Application;
  /** A text that no request had before, e.g. the time. */
  readonly at: string;
  /** One install or upgrade of each release, even if nothing changed. */
  readonly force?: boolean | undefined;
  /** Counters of failures begin again. */
  readonly reset?: boolean | undefined;
}

/** A child, as far as it says which requests it handled. */
export interface Handling extends KubeObject {
  readonly spec?: { readonly suspend?: boolean };
  readonly status?: { readonly lastHandledReconcileAt?: string };
}

/** The annotations of a request, in Flux's own words. */
export function syncAnnotations({ at, force, reset }: Omit<SyncInput, 'application'>): Record<string, string> {
  return {
    [REQUESTED_AT_ANNOTATION]: at,
    ...(force === true ? { [FORCE_AT_ANNOTATION]: at } : {}),
    ...(reset === true ? { [RESET_AT_ANNOTATION]: at } : {}),
  };
}

/** The annotations that reconcile an Application, its source and its children now. Never throws. */
export function syncRequest({ application, at, force, reset }: SyncInput): Requested {
  const found = fluxConfig(application);
  if ('problem' in found) return found;
  const { name } = application.metadata;
  if (found.config.suspend === true) return { problem: `it is suspended: \`fairlead resume ${name}\` first` };
  const annotations = syncAnnotations({ at, force, reset });
  const how = force === true ? ', and each release is installed or upgraded, even if nothing changed' : '';
  return { annotations, done: `its source and its children are reconciled now${how}` };
}

/** True for the request, and for a later one of somebody else, which takes its place. */
function isSince(handled: string | undefined, at: string): boolean {
  return handled === at || Date.parse(handled ?? '') > Date.parse(at);
}

/** True when the request has reached the Application and each of its children that is not suspended. */
export function isHandled({ status }: Application, children: readonly Handling[], at: string): boolean {
  const isOpen = ({ spec, status: own }: Handling): boolean =>
    spec?.suspend !== true && !isSince(own?.lastHandledReconcileAt, at);
  return isSince(status?.lastHandledReconcileAt, at) && !children.some(isOpen);
}

const NAMED_CLUSTERS = 20;
/** It answers as long as anybody can ask for this. */
const HOST = 'host';

/** Clusters that may be given up: a release there is being deleted, or cannot be reached. Sorted. */
export function stuckClusters({ status }: Application): string[] {
  const stuck = (status?.destinations ?? []).filter(({ state }) => knownState(state)?.mayAbandon === true);
  const names = new Set(stuck.map(({ cluster = '' }) => cluster));
  return [...names].filter((name) => name !== '' && name !== HOST).sort();
}

/** The name in the status of a cluster that users name; as they write it, if it has none there. */
function shownIn({ metadata, status }: Application, cluster: string) {
  const names = (status?.destinations ?? []).map((row) => row.cluster ?? '');
  return shownCluster(cluster, names, metadata.namespace) ?? cluster;
}

function refusal(application: Application, cluster: string): string | undefined {
  const stuck = stuckClusters(application);
  const names = abandonedNames(application).map((name) => (name === EVERY_CLUSTER ? name : shownIn(application, name)));
  if (names.includes(EVERY_CLUSTER)) return 'all its clusters are abandoned already';
  // The annotation would mean all of them.
  if (cluster === EVERY_CLUSTER) return `a cluster that is called ${EVERY_CLUSTER} cannot be abandoned by its name`;
  if (names.includes(cluster)) return `cluster ${cluster} is abandoned already`;
  if (stuck.includes(cluster)) return undefined;
  const others = stuck.length === 0 ? '' : `, only on ${listed(stuck, NAMED_CLUSTERS)}`;
  return `on cluster ${cluster} nothing is being deleted or unreachable${others}`;
}

/**
 * The annotation that gives up one more cluster: what is being deleted there is not waited for, and what it installed
 * stays. Never throws.
 */
export function abandonRequest(application: Application, named: string | undefined): Requested {
  if (named === undefined) return { problem: 'say which cluster: the field cluster' };
  const cluster = shownIn(application, named);
  if (typeof cluster === 'object') return cluster;
  const problem = refusal(application, cluster);
  if (problem !== undefined) return { problem };
  const names = [...new Set([...abandonedNames(application), cluster])];
  const done =
    `cluster ${cluster} is abandoned: releases that are being deleted there go without an uninstall, ` +
    'now and later, until that is ended';
  return { annotations: { [ABANDON_ANNOTATION]: names.join(',') }, done };
}

/** The annotation without one of its clusters. Never throws. */
export function endAbandonRequest(application: Application, named: string | undefined): Requested {
  const names = abandonedNames(application);
  if (named === undefined) return { problem: 'say which cluster: the field cluster' };
  const shown = shownIn(application, named);
  const isIt = (name: string): boolean => name !== EVERY_CLUSTER && shownIn(application, name) === shown;
  const cluster = names.includes(named) ? named : names.find(isIt);
  if (cluster === undefined) return { problem: `cluster ${named} is not abandoned` };
  const rest = names.filter((name) => name !== cluster);
  const what = cluster === EVERY_CLUSTER ? 'its clusters are' : `cluster ${cluster} is`;
  const done = `${what} not abandoned any more: what is deleted there is uninstalled, or waits for it`;
  return { annotations: { [ABANDON_ANNOTATION]: rest.length === 0 ? null : rest.join(',') }, done };
}

/** The request to share a template, or why there is nothing to ask for. */
export type TemplateRequested = { readonly body: object; readonly done: string } | { readonly problem: string };

export interface ShareInput {
  readonly template: Template;
  /** Namespaces that may use it from now on. */
  readonly add: readonly string[];
  /** Those that may not any more. */
  readonly remove: readonly string[];
}

function contradiction({ template, add, remove }: ShareInput): string | undefined {
  const own = template.metadata.namespace ?? '';
  if ([...add, ...remove].includes(own)) return `${own} is its own namespace, which may always use it`;
  const both = add.find((name) => remove.includes(name));
  return both === undefined ? undefined : `${both} is to be added and removed: name it once`;
}

/**
 * The merge patch that shares a template with namespaces by name, of the template as it was read: if it changed since,
 * the server refuses. A selector stays as it is. Never throws.
 */
export function shareRequest(input: ShareInput): TemplateRequested {
  const { template, add, remove } = input;
  const problem = contradiction(input);
  if (problem !== undefined) return { problem };
  const { namespaces: before = [], selector } = template.spec.sharedWith ?? {};
  const namespaces = [...new Set([...before.filter((name) => !remove.includes(name)), ...add])];
  const isSame = namespaces.length === before.length && namespaces.every((name) => before.includes(name));
  const now = namespaces.length === 0 ? 'with no namespace by its name' : `with ${namespaces.join(', ')}`;
  if (isSame) return { problem: `nothing changes: it is shared ${now}` };
  const rest = selector === undefined ? '' : '; spec.sharedWith.selector stays, and may select more';
  const { resourceVersion } = template.metadata;
  return {
    body: { metadata: { resourceVersion }, spec: { sharedWith: { namespaces } } },
    done: `shared ${now}${rest}`,
  };
}

export interface UseInput {
  readonly name: string;
  readonly namespace: string;
  readonly kind: TemplateKind;
  /** As the field `template` says it. */
  readonly template: string;
  /** None: the host. */
  readonly clusters: readonly ClusterReference[];
  readonly targetNamespace: string | undefined;
  /** The values of each release; undefined: those of the template. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** The Application that uses a template, with one destination for each cluster. Never throws. */
export function applicationUsing(input: UseInput): Application {
  const { name, namespace, kind, template, clusters, targetNamespace, values } = input;
  const isHelm = kind === 'HelmTemplate';
  const target = defined({ targetNamespace: targetNamespace ?? (isHelm ? namespace : undefined) });
  const places = clusters.length === 0 ? [target] : clusters.map((clusterRef) => ({ clusterRef, ...target }));
  const entries = places.map((destination) => (Object.keys(destination).length === 0 ? {} : { destination }));
  const config = isHelm
    ? { helmRelease: { template, deploy: entries.map((entry) => ({ ...entry, ...defined({ values }) })) } }
    : { kustomization: entries.map((entry) => ({ template, ...entry })) };
  return {
    apiVersion: `${GITOPS_GROUP}/v1alpha1`,
    kind: 'Application',
    metadata: { name, namespace },
    spec: { kind: 'fluxcd', fluxApp: { spec: { config } } },
  };
}
