import type { KubeObject } from '#api/meta.js';
import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import { until } from '#runtime/until.js';
import { EXIT_TIMEOUT, ExitError } from '../command/exit.js';
import { ResourceTypes } from '../command/objects.js';

/** An object in the namespace of the controller. */
export interface Content {
  readonly kind: string;
  readonly object: KubeObject;
}

/** On the token of a ServiceAccount, which Kubernetes itself creates and deletes. */
const TOKEN_OF = 'kubernetes.io/service-account.name';
/** How many objects a message names. */
const NAMED = 3;

/** Drops the objects that belong to the controller or to Kubernetes itself. */
export function contentOfOthers(content: readonly Content[]): Content[] {
  return content.filter(
    ({ object: { metadata } }) =>
      metadata.labels?.[PART_OF_LABEL] !== PART_OF_FAIRLEAD && metadata.annotations?.[TOKEN_OF] === undefined,
  );
}

/** `Secret a, Pod b`, and how many more. */
export function contentInWords(content: readonly Content[]): string {
  const named = content.slice(0, NAMED).map(({ kind, object }) => `${kind} ${object.metadata.name}`);
  return [...named, ...(content.length > NAMED ? [`${content.length - NAMED} more`] : [])].join(', ');
}

/** How a user looks at an object. */
export function describeCommand({ kind, object: { metadata } }: Content): string {
  const place = metadata.namespace === undefined ? '' : `-n ${metadata.namespace} `;
  return `kubectl describe ${place}${kind.toLowerCase()} ${metadata.name}`;
}

const DEFAULT_TIMEOUT_MS = 300_000;
const POLL_MS = 250;
const FIRST_TELL_MS = 1_000;
const TELL_MS = 30_000;

export interface DeletionWait {
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Default: five minutes; 0: what is being deleted is an error at once. */
  readonly timeoutMs?: number;
  /** How an error begins. */
  readonly problem: string;
}

async function beingDeleted(kube: Kube, types: ResourceTypes, objects: readonly KubeObject[]): Promise<Content[]> {
  const live = objects.map(async (object) => kube.get(await types.of(object), object.metadata));
  const leaving = (await Promise.all(live)).filter((each) => each?.metadata.deletionTimestamp !== undefined);
  return leaving.flatMap((object) => (object === undefined ? [] : [{ kind: object.kind, object }]));
}

/**
 * Waits until none of these objects is being deleted, as `kubectl delete` does: until then, nothing can be created in
 * a namespace, and a CRD takes new objects along.
 */
export async function untilDeleted(
  kube: Kube,
  objects: readonly KubeObject[],
  { say, signal, timeoutMs = DEFAULT_TIMEOUT_MS, problem }: DeletionWait,
): Promise<void> {
  const types = new ResourceTypes(kube);
  const startMs = performance.now();
  let tellMs = FIRST_TELL_MS;
  let left: readonly Content[] = [];
  const areGone = async (): Promise<boolean> => {
    left = await beingDeleted(kube, types, objects);
    const waitedMs = performance.now() - startMs;
    if (left.length > 0 && waitedMs >= tellMs) {
      say(`Waiting for the deletion of ${contentInWords(left)} (${Math.round(waitedMs / 1_000)} s)`);
      tellMs = waitedMs + TELL_MS;
    }
    return left.length === 0;
  };
  if (await until(areGone, { timeoutMs, intervalMs: POLL_MS, signal })) return;
  const waited = timeoutMs > 0 ? ` after ${timeoutMs / 1_000} s` : '';
  const look = left.slice(0, 1).map(describeCommand).join('');
  throw new ExitError(
    `${problem}; still being deleted${waited}: ${contentInWords(left)}: see why with \`${look}\`, then repeat`,
    EXIT_TIMEOUT,
  );
}
