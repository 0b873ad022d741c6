import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';

const MOST_LINES = 10;
const MOST_CHARACTERS = 800;

type Fields = Readonly<Record<string, unknown>>;

/** What a container came to; absent fields are those that the kubelet did not tell. */
interface Ended {
  readonly container: string;
  readonly exitCode: number | undefined;
  readonly reason: string;
}

function fieldsOf(value: unknown): Fields {
  return isMap(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Init containers come first, as they run first. */
function endsOf(pod: Unstructured): Ended[] {
  const { initContainerStatuses, containerStatuses } = fieldsOf(pod['status']);
  return [...listOf(initContainerStatuses), ...listOf(containerStatuses)].flatMap(({ name, state, lastState }) => {
    const { exitCode, reason } = fieldsOf(fieldsOf(state)['terminated'] ?? fieldsOf(lastState)['terminated']);
    const waiting = textOf(fieldsOf(fieldsOf(state)['waiting'])['reason']);
    const end = { exitCode: typeof exitCode === 'number' ? exitCode : undefined, reason: textOf(reason) || waiting };
    return end.exitCode === undefined && end.reason === '' ? [] : [{ container: textOf(name), ...end }];
  });
}

function failedEnd(pod: Unstructured): Ended | undefined {
  return endsOf(pod).find(({ exitCode }) => exitCode !== 0);
}

function hasFailed(pod: Unstructured): boolean {
  return fieldsOf(pod['status'])['phase'] === 'Failed' || failedEnd(pod) !== undefined;
}

/** The pod of a failed hook whose output says why: the newest of those that failed, else the newest. */
export function failingPod(pods: readonly Unstructured[]): Unstructured | undefined {
  const newestFirst = [...pods].sort((a, b) => (bornAt(a) < bornAt(b) ? 1 : -1));
  return newestFirst.find(hasFailed) ?? newestFirst[0];
}

function bornAt({ metadata }: Unstructured): string {
  return metadata.creationTimestamp ?? '';
}

/** The container whose output is worth reading: the one that failed, else the first. */
export function failingContainer(pod: Unstructured): string {
  return failedEnd(pod)?.container || textOf(listOf(fieldsOf(pod['spec'])['containers'])[0]?.['name']);
}

/**
 * One clause on how a pod stands, for when its output cannot be had, e.g.
 * `Failed, container main: exit code 1 (Error)`.
 */
export function podState(pod: Unstructured): string {
  const phase = textOf(fieldsOf(pod['status'])['phase']) || 'no phase';
  const end = failedEnd(pod);
  if (end === undefined) return phase;
  const code = end.exitCode === undefined ? [] : [`exit code ${end.exitCode}`];
  const reason = end.reason === '' ? [] : [code.length === 0 ? end.reason : `(${end.reason})`];
  return `${phase}, container ${end.container}: ${[...code, ...reason].join(' ')}`;
}

/**
 * The end of an output: at most 10 lines and 800 characters, without control characters and what `mask` hides; empty for
 * nothing.
 */
export function lastLines(output: string, mask: (text: string) => string): string {
  const clean = output.replace(/\u001b\[[0-9;]*[A-Za-z]/gu, '').replace(/[^\P{Cc}\n\t]/gu, '');
  const lines = mask(clean).trimEnd().split('\n').slice(-MOST_LINES).join('\n').trim();
  return lines.length <= MOST_CHARACTERS ? lines : `…${lines.slice(-MOST_CHARACTERS)}`;
}
