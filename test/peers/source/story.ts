import { setTimeout as delay } from 'node:timers/promises';
import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { ResourceType } from '#api/meta.js';
import { conditionOf } from '../../support/harness.js';
import type { Side } from '../pair.js';
import type { Addresses, Case, ObjectId, SourceKind, Step } from './case.js';
import { seenOf, type SourceView } from './look.js';

export const NAMESPACE = 'sources';
const LIMIT_MS = 90_000;
const POLL_MS = 300;
const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';

const TYPES: Readonly<Record<SourceKind, ResourceType>> = {
  GitRepository: gitRepositoryResource,
  HelmRepository: helmRepositoryResource,
  HelmChart: helmChartResource,
  OCIRepository: ociRepositoryResource,
  Bucket: bucketResource,
};

/** What a source says at the end of a step, and how it ended. */
export interface Seen {
  readonly ended: 'as expected' | 'otherwise';
  readonly source: object;
}

/** A source in a step. */
interface Wanted {
  readonly id: ObjectId;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly token: string;
  /** The reason with which it is not Ready. */
  readonly fails: string | undefined;
}

function placeOf(id: ObjectId): { readonly type: ResourceType; readonly name: string } {
  const [kind, name] = id.split('/') as [SourceKind, string]; // of its type
  return { type: TYPES[kind], name };
}

async function request({ kube }: Side, { id, spec, token }: Wanted): Promise<void> {
  const { type, name } = placeOf(id);
  const object = {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name, namespace: NAMESPACE, annotations: { [REQUESTED_AT]: token } },
    spec: { interval: '1h', ...spec },
  };
  await kube.apply(type, object, { fieldManager: 'test', force: true });
}

/** Answered, and said of the spec as it is. */
function hasAnswered({ status, metadata }: SourceView, { token, spec, id }: Wanted): boolean {
  const ready = conditionOf({ status: status ?? {} }, 'Ready');
  // A HelmRepository of a registry has nothing to reconcile.
  if (id.startsWith('HelmRepository/') && spec['type'] === 'oci') return true;
  return status?.lastHandledReconcileAt === token && ready?.observedGeneration === metadata.generation;
}

/** At its end as this reports it; one that fails may be asked again. */
function isAtEnd({ metadata, status = {} }: SourceView, isReady: boolean): boolean {
  const [progress, stalled] = ['Reconciling', 'Stalled'].map((type) => conditionOf({ status }, type));
  const isObserved = status.observedGeneration === metadata.generation;
  if (isReady) return progress === undefined && isObserved;
  return stalled === undefined ? progress?.reason === 'ProgressingWithRetry' : isObserved;
}

function isAsExpected(source: SourceView, wanted: Wanted): boolean {
  if (!hasAnswered(source, wanted)) return false;
  const { id, spec, fails } = wanted;
  if (id.startsWith('HelmRepository/') && spec['type'] === 'oci') return true;
  const ready = conditionOf({ status: source.status ?? {} }, 'Ready');
  const isExpected =
    fails === undefined ? ready?.status === 'True' : ready?.status === 'False' && ready.reason === fails;
  return isExpected && isAtEnd(source, fails === undefined);
}

/** A cluster, who reconciles its sources, and what they are fetched from. */
export interface Place {
  readonly side: Side;
  readonly by: 'flux' | 'us';
  readonly at: Addresses;
}

/** How the source is in the end; the last that was seen when it does not come to the end that is expected. */
async function settle({ kube }: Side, wanted: Wanted): Promise<Seen> {
  const { type, name } = placeOf(wanted.id);
  const until = Date.now() + LIMIT_MS;
  let before: string | undefined;
  for (;;) {
    const source = await kube.get<SourceView>(type, { name, namespace: NAMESPACE });
    if (source === undefined) throw new Error(`${wanted.id} does not exist`);
    const isEnd = isAsExpected(source, wanted);
    // Flux writes a status in several requests.
    if (isEnd && source.metadata.resourceVersion === before) {
      return { ended: 'as expected', source: await seenOf(source) };
    }
    if (Date.now() > until) return { ended: 'otherwise', source: await seenOf(source) };
    before = isEnd ? source.metadata.resourceVersion : undefined;
    await delay(POLL_MS);
  }
}

function specsUntil(steps: readonly Step[], at: Addresses): Map<ObjectId, Readonly<Record<string, unknown>>> {
  const specs = new Map<ObjectId, Readonly<Record<string, unknown>>>();
  for (const { objects } of steps) {
    for (const [id, spec] of Object.entries(objects?.(at) ?? {})) {
      specs.set(id as ObjectId, spec as Readonly<Record<string, unknown>>); // as the type of Objects says
    }
  }
  return specs;
}

/**
 * Applies the sources of a step one after the other, in their order, and asks for each; those that are suspended are
 * looked at when all others are at their end.
 */
export async function tell(place: Place, { steps }: Case, index: number): Promise<Record<string, Seen>> {
  const { side, by, at } = place;
  const { fails = {}, weFail = fails } = steps[index] ?? {};
  const failing = by === 'us' ? weFail : fails;
  const all = [...specsUntil(steps.slice(0, index + 1), at)].map(([id, spec]) => ({
    ...{ id, spec, token: `step-${index}`, fails: failing[id] },
  }));
  const seen: Record<string, Seen> = {};
  for (const wanted of all) {
    await request(side, wanted);
    if (wanted.spec['suspend'] !== true) seen[wanted.id] = await settle(side, wanted);
  }
  for (const { id } of all.filter(({ spec }) => spec['suspend'] === true)) {
    const { type, name } = placeOf(id);
    const source = await side.kube.get<SourceView>(type, { name, namespace: NAMESPACE });
    if (source !== undefined) seen[id] = { ended: 'as expected', source: await seenOf(source) };
  }
  return seen;
}
