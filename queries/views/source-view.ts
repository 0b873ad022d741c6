import type { SourceView, UserView } from '../answers/clusters.js';
import type { SourceState } from '../answers/words.js';
import type { Artifact } from '#api/flux/common.js';
import type { Condition, KubeObject } from '#api/meta.js';

/** An object of any kind of source. */
export interface SourceObject extends KubeObject {
  readonly spec?: { readonly suspend?: boolean; readonly sourceRef?: Reference; readonly type?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly artifact?: Artifact;
  };
}

/** What an object says of the source that it uses. */
export interface Reference {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** An object that uses sources, in any of the ways that there are. */
export interface SourceUser extends KubeObject {
  readonly spec?: {
    readonly sourceRef?: Reference;
    readonly chartRef?: Reference;
    readonly chart?: { readonly spec?: { readonly sourceRef?: Reference } } | string;
    readonly fluxApp?: { readonly spec?: { readonly source?: { readonly sourceRef?: Reference } } };
  };
  readonly status?: { readonly helmChart?: string };
}

function conditionOf({ status }: SourceObject, type: string): Condition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

/** Flux writes no status for a Helm repository that is a registry: there is nothing to fetch. */
function isStatic({ kind, spec, status }: SourceObject): boolean {
  return kind === 'HelmRepository' && spec?.type === 'oci' && (status?.conditions ?? []).length === 0;
}

/** The state that the condition Ready tells; others publish ExternalArtifacts, and need not write one. */
function readyState(source: SourceObject): SourceState {
  const ready = conditionOf(source, 'Ready')?.status;
  if (ready === undefined) return source.status?.artifact === undefined && !isStatic(source) ? 'Pending' : 'Ready';
  if (ready === 'False') return 'Failed';
  return ready === 'True' && conditionOf(source, 'Reconciling')?.status !== 'True' ? 'Ready' : 'Progressing';
}

function stateOf(source: SourceObject): SourceState {
  if (source.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (source.spec?.suspend === true) return 'Suspended';
  return conditionOf(source, 'Stalled')?.status === 'True' ? 'Stalled' : readyState(source);
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

function referencesOf({ spec = {} }: SourceUser): (Reference | undefined)[] {
  const { chart, fluxApp } = spec;
  const ofChart = typeof chart === 'object' ? chart.spec?.sourceRef : undefined;
  return [spec.sourceRef, spec.chartRef, ofChart, fluxApp?.spec?.source?.sourceRef];
}

/** The sources that an object uses: a reference without a namespace means its own. */
function sourcesOf(user: SourceUser): string[] {
  const { namespace: own = '' } = user.metadata;
  const named = referencesOf(user).map((reference) => {
    const { kind, name, namespace = own } = reference ?? {};
    return kind === undefined || name === undefined ? undefined : keyOf(kind, namespace, name);
  });
  const helmChart = user.status?.helmChart;
  const all = [...named, helmChart === undefined ? undefined : `HelmChart ${helmChart}`];
  return all.filter((source) => source !== undefined);
}

function userView({ kind, metadata }: KubeObject): UserView {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

function byName(a: UserView, b: UserView): number {
  return keyOf(a.kind, a.namespace, a.name) < keyOf(b.kind, b.namespace, b.name) ? -1 : 1;
}

function usersBySource(users: readonly SourceUser[]): ReadonlyMap<string, readonly UserView[]> {
  const found = new Map<string, UserView[]>();
  for (const user of users) {
    for (const source of new Set(sourcesOf(user))) {
      const others = found.get(source) ?? [];
      others.push(userView(user));
      found.set(source, others);
    }
  }
  return found;
}

/** What the condition Ready says. */
function readyOf(source: SourceObject): Pick<SourceView, 'reason' | 'message'> {
  const ready = conditionOf(source, 'Ready');
  if (ready !== undefined) return { reason: ready.reason, message: ready.message };
  const message =
    source.status?.artifact === undefined && !isStatic(source) ? 'no controller has reconciled it yet' : '';
  return { reason: '', message };
}

/** Sources by kind, namespace and name, each with those of `users` that use it. */
export function sourceViews(sources: readonly SourceObject[], users: readonly SourceUser[]): SourceView[] {
  const found = usersBySource(users);
  return sources
    .map((source) => {
      const view = userView(source);
      const usedBy = found.get(keyOf(view.kind, view.namespace, view.name)) ?? [];
      const { revision = '', lastUpdateTime: storedAt = '' } = source.status?.artifact ?? {};
      const [state, sorted] = [stateOf(source), [...usedBy].sort(byName)];
      return { ...view, state, ...readyOf(source), revision, storedAt, usedBy: sorted };
    })
    .sort(byName);
}
