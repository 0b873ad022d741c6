import type { Unstructured } from '#api/meta.js';
import { oneLine } from '#lib/text/text.js';
import { conditionOf, fieldsOf, listOf, numberOf, textOf, viewOf, type View } from './fields.js';

type Fields = View['status'];

/** Names of images or lists of unsuitable nodes may be very long. */
const MOST_CHARACTERS = 200;
/** Reasons whose message is from Kubernetes itself. Others quote commands and their output, which may contain secrets. */
const WITH_MESSAGE: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
];
/** Reasons for which a container normally waits. */
const USUAL: readonly string[] = ['ContainerCreating', 'PodInitializing'];
/** A container that terminated waits for its restart: how it terminated says more. */
const CRASH_LOOP = 'CrashLoopBackOff';
/** After running for this long, a container is restarted by the kubelet without back-off, which is at most 5 minutes. */
const OUT_OF_LOOP_MS = 600_000;

function sentence(...parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join(': ');
  const characters = Array.from(oneLine(text));
  return characters.length > MOST_CHARACTERS
    ? `${characters.slice(0, MOST_CHARACTERS).join('')}…`
    : characters.join('');
}

/** How a container terminated. Its message is not shown: the container writes it, and it may contain anything. */
function endOf(terminated: Fields): string {
  if (Object.keys(terminated).length === 0) return '';
  const reason = textOf(terminated, 'reason');
  const why = reason === '' || reason === 'Error' ? '' : ` (${reason})`;
  return `exit code ${numberOf(terminated, 'exitCode')}${why}`;
}

/** Whether a running container is still in a crash loop; true if times are missing. */
function isInLoop(running: Fields, last: Fields, nowMs: number): boolean {
  const startMs = Date.parse(textOf(running, 'startedAt'));
  const endMs = Date.parse(textOf(last, 'finishedAt'));
  return !(nowMs - startMs > OUT_OF_LOOP_MS || startMs - endMs > OUT_OF_LOOP_MS);
}

/**
 * The last termination of a container that is not ready: the same whether it is waiting, running again or has just
 * terminated, so that one crash loop has one cause.
 */
function lastEnd(container: Fields, nowMs: number): Fields {
  const state = fieldsOf(container, 'state');
  const [terminated, running] = [fieldsOf(state, 'terminated'), fieldsOf(state, 'running')];
  if (Object.keys(terminated).length > 0) return terminated;
  const last = fieldsOf(fieldsOf(container, 'lastState'), 'terminated');
  return isInLoop(running, last, nowMs) ? last : {};
}

function causeOfEnd(container: Fields, terminated: Fields): string {
  const end = endOf(terminated);
  if (end !== '' && numberOf(container, 'restartCount') > 0) return `restarted after ${end}`;
  return numberOf(terminated, 'exitCode') === 0 ? '' : end;
}

interface Cause {
  readonly container: string;
  /** Its last run is over, and the next one has not begun. */
  readonly isRestarting: boolean;
  readonly text: string;
  /** The container terminated with exit code 0: a problem of another container says more. */
  readonly isSuccess: boolean;
}

function causeOfContainer(container: Fields, nowMs: number): Cause | undefined {
  if (container['ready'] === true) return undefined;
  const waiting = fieldsOf(fieldsOf(container, 'state'), 'waiting');
  const name = `container ${textOf(container, 'name')}`;
  const isRestarting = 'waiting' in fieldsOf(container, 'state') && 'terminated' in fieldsOf(container, 'lastState');
  const blamed = { container: textOf(container, 'name'), isRestarting };
  // Older kubelets append the command to the reason.
  const [reason = ''] = textOf(waiting, 'reason').split(':', 1);
  const terminated = lastEnd(container, nowMs);
  const end = causeOfEnd(container, terminated);
  const isWaiting = reason !== '' && !USUAL.includes(reason);
  if (isWaiting && !(reason === CRASH_LOOP && end !== '')) {
    const message = WITH_MESSAGE.includes(reason) ? textOf(waiting, 'message') : '';
    return { ...blamed, text: sentence(name, reason, message), isSuccess: false };
  }
  if (end === '') return undefined;
  return { ...blamed, text: sentence(name, end), isSuccess: numberOf(terminated, 'exitCode') === 0 };
}

function unready({ status }: View): string | undefined {
  const container = listOf(status, 'containerStatuses').find(
    (each) => each['ready'] === false && Object.keys(fieldsOf(fieldsOf(each, 'state'), 'running')).length > 0,
  );
  return container && textOf(container, 'name');
}

/** Of the container that keeps a pod from being ready; one that ended well is only named if no other one is. */
function containerCause({ status }: View, nowMs: number): Cause | undefined {
  const containers = [...listOf(status, 'initContainerStatuses'), ...listOf(status, 'containerStatuses')];
  const causes = containers
    .map((container) => causeOfContainer(container, nowMs))
    .filter((cause) => cause !== undefined);
  return causes.find(({ isSuccess }) => !isSuccess) ?? causes[0];
}

/** The container to blame for a pod that is not ready; undefined if its status names none. Never throws. Pure. */
export function blamedContainer(
  pod: Unstructured,
  nowMs: number,
): Pick<Cause, 'container' | 'isRestarting'> | undefined {
  const view = viewOf(pod);
  const { container = unready(view), isRestarting = false } = containerCause(view, nowMs) ?? {};
  return container === undefined ? undefined : { container, isRestarting };
}

/**
 * Why a pod is not ready, by its status alone: it was not scheduled, or one of its containers cannot start, crashes or
 * does not become ready. Undefined if the status does not say. Never throws; counts and times are left out. Pure.
 */
export function podCause(pod: Unstructured, nowMs: number): string | undefined {
  const view = viewOf(pod);
  const { status } = view;
  const scheduled = conditionOf(view, 'PodScheduled');
  if (scheduled.status === 'False') return sentence(scheduled.reason, scheduled.message);
  const cause = containerCause(view, nowMs);
  if (cause !== undefined) return cause.text;
  const reason = textOf(status, 'reason');
  if (reason !== '') return sentence(reason, textOf(status, 'message'));
  const container = unready(view);
  return container && `container ${container} is running but not ready`;
}

/** True for a pod that is neither ready nor finished nor being deleted. */
function isOpen(pod: Unstructured): boolean {
  const view = viewOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined || textOf(view.status, 'phase') === 'Succeeded') return false;
  return conditionOf(view, 'Ready').status !== 'True';
}

/** Of the newest of these pods that says why it is not ready: older ones may belong to an earlier revision. */
export function causeAmong(pods: readonly Unstructured[], nowMs = Date.now()): string | undefined {
  const timeOf = ({ metadata }: Unstructured): string => metadata.creationTimestamp ?? '';
  const newestFirst = pods.filter(isOpen).sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  for (const pod of newestFirst) {
    const cause = podCause(pod, nowMs);
    // Items of a list do not name their kind.
    if (cause !== undefined) return `Pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}: ${cause}`;
  }
  return undefined;
}

/** The condition with which a workload reports that its pods are refused, e.g. by a quota. */
const REFUSED = 'ReplicaFailure';

export function refusalOfPods(workload: Unstructured): string | undefined {
  const { status, reason, message } = conditionOf(viewOf(workload), REFUSED);
  return status === 'True' ? sentence(reason, message) : undefined;
}

/** Keys and values of labels; anything else could change what a selector means. */
const LABEL = /^[\w./-]*$/;

/**
 * The pods of a workload as a query of the API server; undefined for an object that has none, and for a selector with
 * expressions: without them it might find the pods of others.
 */
export function podsOf(workload: Unstructured): { labelSelector: string } | { fieldSelector: string } | undefined {
  const { kind, apiVersion, metadata } = workload;
  if (kind === 'Pod' && apiVersion === 'v1') return { fieldSelector: `metadata.name=${metadata.name}` };
  if (kind === 'Job' && apiVersion.startsWith('batch/')) return { labelSelector: `job-name=${metadata.name}` };
  if (!apiVersion.startsWith('apps/')) return undefined;
  const selector = fieldsOf(viewOf(workload).spec, 'selector');
  const labels = Object.entries(fieldsOf(selector, 'matchLabels'));
  const isPlain = labels.every(([key, value]) => LABEL.test(key) && typeof value === 'string' && LABEL.test(value));
  if (labels.length === 0 || !isPlain || listOf(selector, 'matchExpressions').length > 0) return undefined;
  return { labelSelector: labels.map((label) => label.join('=')).join(',') };
}
