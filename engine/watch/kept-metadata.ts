import { createHash } from 'node:crypto';
import pick from 'lodash/pick.js';
import type { KubeObject } from '#api/meta.js';

/** What owners ask for; `mayBeDrift` compares all others by their digest. */
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

/** A server may answer with anything. */
function digestOf({ labels, annotations }: Partial<Record<'labels' | 'annotations', unknown>>): string {
  const hash = createHash('sha256');
  for (const all of [labels, annotations]) {
    const entries = Object.entries(all ?? {}).filter(([key]) => key !== COUNTED);
    hash.update(JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
  }
  return hash.digest('base64');
}

function entriesOf(map: Readonly<Record<string, string>> | undefined, names: readonly string[]): [string, string][] {
  return Object.entries(map ?? {}).filter(([key]) => names.includes(key));
}

/** An object as a watch for drift keeps it: short, however many labels and annotations it has. */
export function keptMetadata(object: KubeObject, { labels, annotations = [] }: ReadMetadata): KubeObject {
  const { metadata } = object;
  const there = entriesOf(metadata.annotations, annotations).map(([key]) => [key, '']);
  const kept = {
    labels: Object.fromEntries(entriesOf(metadata.labels, labels)),
    annotations: Object.fromEntries([...there, [DIGEST, digestOf(metadata)]]) as Record<string, string>,
  };
  return { ...pick(object, 'apiVersion', 'kind'), metadata: { ...pick(metadata, KEPT), ...kept } };
}
