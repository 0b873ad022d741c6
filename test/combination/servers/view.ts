import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Application } from '#api/v1alpha1/application.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { getCondition } from '#lib/kube/conditions.js';

/** Lines that say what there is, each by a name that both worlds have for it. */
export type View = Readonly<Record<string, string>>;

/** The name of the host in what runs; members have their names in the story. */
export const HOST = 'host';

/** The hash of a child's release, which has the real namespace in it. */
const HASH = /-[0-9a-z]{10}$/;

function placeOf(child: Child): unknown {
  const { spec } = child;
  if (child.kind === 'Kustomization') return [spec['path'], spec['targetNamespace']];
  const { releaseName, namespace, storageNamespace } = desiredTarget(child as unknown as HelmRelease); // a Child is one
  return [releaseName, namespace, storageNamespace];
}

/** Names a child alike in both worlds. */
export function childKey(child: Child): string {
  const cluster = child.spec.kubeConfig?.secretRef?.name ?? HOST;
  return `${child.kind} ${child.metadata.name.replace(HASH, '')} ${cluster} ${JSON.stringify(placeOf(child))}`;
}

/** JSON with sorted keys; undefined is null. */
const line = (value: unknown): string => canonicalJson(value ?? null);

/** The lines of several objects, each of which may be there more than once. */
function linesOf(found: readonly (readonly [key: string, value: unknown])[]): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const [key, value] of [...found].sort((a, b) => (line(a) < line(b) ? -1 : 1))) {
    let free = key;
    for (let turn = 2; free in lines; turn += 1) free = `${key} #${turn}`;
    lines[free] = line(value);
  }
  return lines;
}

function applicationLines({ metadata, status = {} }: Application): [string, unknown][] {
  const { name } = metadata;
  const conditions = (status.conditions ?? []).map(({ type, status: is, reason }): [string, unknown] => [
    `Application ${name} condition ${type}`,
    [is, reason],
  ]);
  const rows = (status.destinations ?? []).map((row): [string, unknown] => [
    `Application ${name} destination ${row.name} ${row.cluster ?? ''} ${row.release ?? ''}`,
    [row.namespace, row.state, row.wait?.reason],
  ]);
  const { phase, revision, lastGood } = status.rollout ?? {};
  return [
    [`Application ${name}`, metadata.deletionTimestamp === undefined ? 'exists' : 'is being deleted'],
    ...conditions,
    ...rows,
    [`Application ${name} rollout`, [phase, revision, lastGood]],
    [`Application ${name} history`, status.history?.revision],
    [`Application ${name} held removals`, status.removals?.held ?? 0],
  ];
}

function childLine(child: Child): [string, unknown] {
  const ready = getCondition(child.status?.conditions, 'Ready');
  const isLeaving = child.metadata.deletionTimestamp !== undefined;
  return [childKey(child), { spec: child.spec, isLeaving, ready: [ready?.status, ready?.reason] }];
}

/** The view of the objects on the host. */
export function hostView(applications: readonly Application[], children: readonly Child[]): View {
  return linesOf([...applications.flatMap(applicationLines), ...children.map(childLine)]);
}

/** One thing that runs on a cluster. */
export interface Running {
  readonly kind: 'release' | 'files';
  readonly cluster: string;
  readonly namespace: string;
  readonly storageNamespace: string;
  readonly name: string;
  /** Chart, version and values, or the commit. */
  readonly content: string;
  readonly isFailed: boolean;
}

/** The view of everything that runs on the clusters. */
export function runsView(runs: readonly Running[]): View {
  return linesOf(
    runs.map(({ kind, cluster, namespace, storageNamespace, name, content, isFailed }) => [
      `${kind} on ${cluster}: ${storageNamespace}/${name} in ${namespace}`,
      { content, isFailed },
    ]),
  );
}

/** One line of which the two worlds say different things. */
export interface Difference {
  readonly what: string;
  readonly inMemory: string | undefined;
  readonly real: string | undefined;
}

export function differencesOf(memory: View, real: View): Difference[] {
  const names = [...new Set([...Object.keys(memory), ...Object.keys(real)])].sort();
  return names
    .map((what) => ({ what, inMemory: memory[what], real: real[what] }))
    .filter(({ inMemory, real: other }) => inMemory !== other);
}
