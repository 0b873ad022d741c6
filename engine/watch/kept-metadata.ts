import { createHash } from 'node:crypto';
import pick from 'lodash/pick.js';
import type { KubeObject } from '#api/meta.js';
import { isMap } from '#lib/plain.js';

/** The names that owners ask for; `mayBeDrift` compares all others by their digest. */
export interface ReadMetadata {
  readonly labels: readonly string[];
  /** Only whether they are there. */
  readonly annotations?: readonly string[];
}

const KEPT = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp'] as const;
/** The API server's own controllers write these at every roll-out. */
const COUNTED = 'deployment.kubernetes.io/revision';
/** No annotation of an object has an empty name. */
const DIGEST = '';

type Texts = Readonly<Record<string, string>>;

/** All that is compared of a map. Servers in Go print maps in the order of their keys, others in any. */
function comparedOf(map: Texts): unknown[] {
  const names = Object.keys(map).filter((name) => name !== COUNTED);
  return names.sort().map((name) => [name, map[name]]);
}

function digestOf(labels: Texts, annotations: Texts): string {
  const compared = JSON.stringify([comparedOf(labels), comparedOf(annotations)]);
  return createHash('sha256').update(compared).digest('base64');
}

/** A server may answer with anything, e.g. with a text of megabytes. */
function textsIn(map: unknown): Texts {
  return isMap(map) ? (map as Texts) : {}; // values are only passed on
}

function entriesOf(map: Texts, names: readonly string[]): [string, string][] {
  return names.flatMap((name) => (Object.hasOwn(map, name) ? [[name, map[name] ?? '']] : []));
}

/** An object as a watch for drift keeps it: short, however many labels and annotations it has. */
export function keptMetadata(object: KubeObject, { labels, annotations = [] }: ReadMetadata): KubeObject {
  const { metadata } = object;
  const all = { labels: textsIn(metadata.labels), annotations: textsIn(metadata.annotations) };
  const there = entriesOf(all.annotations, annotations).map(([key]) => [key, '']);
  const kept = {
    labels: Object.fromEntries(entriesOf(all.labels, labels)),
    annotations: Object.fromEntries([...there, [DIGEST, digestOf(all.labels, all.annotations)]]) as Texts,
  };
  return { ...pick(object, 'apiVersion', 'kind'), metadata: { ...pick(metadata, KEPT), ...kept } };
}
