import partition from 'lodash/partition.js';
import pLimit from 'p-limit';
import { isJob } from '#api/core.js';
import { HEALTH_CHECK_CANCELED } from '#api/flux/conditions.js';
import type { Unstructured } from '#api/meta.js';
import { isServerTrouble, SupersededError, TerminalError } from '#lib/errors.js';
import { until } from '#runtime/until.js';
import type { Member } from '../member/member.js';
import { subjectOf, targetOf } from '../member/model/inventory.js';
import { causesOf, type WorkloadInTrouble } from './causes.js';
import { healthBy, type HealthRules, NO_RULES } from './expressions.js';
import { viewOf, type Health } from './fields.js';
import { isMemberFailure } from '../member/member-failure.js';

/** A Job with `ttlSecondsAfterFinished`: if it does not exist any more, it has finished, and the cluster deleted it. */
export function goesByItself(wanted: Unstructured): boolean {
  return isJob(wanted) && typeof viewOf(wanted).spec['ttlSecondsAfterFinished'] === 'number';
}

/** A paused Deployment: there is nothing to wait for, as in Helm. */
export function isPaused(wanted: Unstructured): boolean {
  return (
    wanted.kind === 'Deployment' && wanted.apiVersion.startsWith('apps/') && viewOf(wanted).spec['paused'] === true
  );
}

const PARALLEL = 8;
const DEFAULT_POLL_MS = 1_000;

/**
 * Why nobody waits any more, e.g. `the spec changed`; undefined: somebody does. `isLong`: half of the timeout is over;
 * `isFirst`: nothing is deployed yet.
 */
export type EndedBy = (wait: { readonly isLong: boolean; readonly isFirst?: boolean }) => string | undefined;

export interface WaitRequest {
  readonly member: Member;
  readonly objects: readonly Unstructured[];
  /** For namespaced objects that name none. */
  readonly defaultNamespace: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Milliseconds between two reads; default 1 s. */
  readonly pollMs?: number;
  /** Also wait until Jobs complete; default false, as Helm does. */
  readonly jobs?: boolean;
  /** For custom kinds; default: kstatus alone. */
  readonly rules?: HealthRules;
  /** Why nobody waits any more. Asked after each look. */
  readonly endedBy?: EndedBy;
}

interface Look {
  readonly object: Unstructured;
  readonly subject: string;
  readonly health: Health;
  /** The object on the cluster; undefined if it does not exist. */
  readonly trouble?: WorkloadInTrouble;
}

function absence(object: Unstructured): Health {
  return goesByItself(object)
    ? { status: 'Current', message: 'Job finished and was deleted' }
    : { status: 'NotFound', message: 'object does not exist' };
}

async function observe(request: WaitRequest, object: Unstructured): Promise<Look> {
  const { member, signal } = request;
  try {
    const type = await member.resourceType(object.apiVersion, object.kind, { signal });
    const namespace = type.namespaced ? object.metadata.namespace || request.defaultNamespace : undefined;
    const live = await member.kube.get<Unstructured>(type, { name: object.metadata.name, namespace }, { signal });
    const health = live === undefined ? absence(object) : healthBy(request.rules ?? NO_RULES, live);
    const subject = subjectOf({ ...targetOf(object), namespace });
    return { object, subject, health, ...(live === undefined ? {} : { trouble: { workload: live, namespace } }) };
  } catch (error: unknown) {
    if (!(error instanceof TerminalError)) throw error;
    return { object, subject: subjectOf(targetOf(object)), health: { status: 'Unknown', message: error.message } };
  }
}

function describe({ subject, health }: Look, cause?: string): string {
  const text = `${subject}: ${health.status}: ${health.message}`;
  return cause === undefined ? text : `${text}: ${cause}`;
}

/** Checks all of them once; returns those that are not Current. */
async function observeAll(request: WaitRequest, objects: readonly Unstructured[]): Promise<Look[]> {
  const limit = pLimit(PARALLEL);
  const looks = await Promise.all(objects.map((object) => limit(() => observe(request, object))));
  return looks.filter(({ health }) => health.status !== 'Current');
}

function isWaitedFor(request: WaitRequest, object: Unstructured): boolean {
  if (isPaused(object)) return false;
  return request.jobs === true || !isJob(object);
}

/** True for an error that is not about the objects: the member does not answer, or has an internal error. */
function mayGoAway(error: unknown): boolean {
  return isMemberFailure(error) || isServerTrouble(error);
}

/** In Flux's words, with the cause from the pods. Failed objects come first: the others may just need more time. */
async function problemOf({ member, signal }: WaitRequest, looks: readonly Look[]): Promise<string | undefined> {
  if (looks.length === 0) return undefined;
  const [failed, others] = partition(looks, ({ health }) => health.status === 'Failed');
  const what = failed.length > 0 ? 'failed early due to stalled resources' : 'timeout waiting for';
  const ordered = [...failed, ...others];
  const known = ordered.filter(({ trouble }) => trouble !== undefined);
  const troubles = known.flatMap(({ trouble }) => trouble ?? []);
  const causes = await causesOf(member.kube, troubles, signal);
  return `${what}: [${ordered.map((look) => describe(look, causes[known.indexOf(look)])).join(', ')}]`;
}

/**
 * Waits until every object is Current, and returns undefined. Otherwise returns the state of those that are not
 * (`Deployment/app/web: InProgress: ...: Pod/app/web-x: ...`), after the timeout, or as soon as an object has
 * Failed. A member that stops answering, or has an internal error, is retried until the timeout, and then its error is
 * thrown. Throws CancelledError, and SupersededError as soon as nobody waits any more.
 */
export async function waitForHealthy(request: WaitRequest): Promise<string | undefined> {
  const { timeoutMs, signal, pollMs: intervalMs = DEFAULT_POLL_MS } = request;
  const startedAt = performance.now();
  let pending = request.objects.filter((object) => isWaitedFor(request, object));
  let looks: readonly Look[] = [];
  const isOver = async ({ isLast }: { readonly isLast: boolean }): Promise<boolean> => {
    try {
      looks = await observeAll(request, pending);
    } catch (error: unknown) {
      if (isLast || signal.aborted || !mayGoAway(error)) throw error;
      return false;
    }
    pending = looks.map(({ object }) => object);
    return looks.length === 0 || looks.some(({ health }) => health.status === 'Failed');
  };
  const look: typeof isOver = async (moment) => {
    if (await isOver(moment)) return true;
    const news = request.endedBy?.({ isLong: performance.now() - startedAt >= timeoutMs / 2 });
    if (news !== undefined)
      throw new SupersededError(HEALTH_CHECK_CANCELED, `stopped waiting for objects to become ready: ${news}`);
    return false;
  };
  await until(look, { timeoutMs, intervalMs, signal });
  return problemOf(request, looks);
}
