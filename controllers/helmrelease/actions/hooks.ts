import type { Unstructured } from '#api/meta.js';
import { goesByItself } from '#engine/health/wait.js';
import { isJob, isPod, podResource } from '#api/core.js';
import { CancelledError } from '#lib/errors.js';
import { objectPath } from '#lib/net/urls.js';
import { completionOf } from '#engine/flux/model/completion.js';
import { waitUntilGone, ActionError, applyPlain, waitUntil } from '#engine/flux/objects.js';
import type { Hook, HookEvent } from '../model/manifest.js';
import { timestamp } from '../storage.js';
import { objectsOfRelease } from '../stored-objects.js';
import { lastLines, podState, failingContainer, failingPod } from '../model/hook-output.js';
import type { ActionContext, Outcome } from './context.js';
import { deleteHook } from './delete-objects.js';
import { isInterruption, reasonText } from '#engine/member/member-failure.js';

/** By code unit, as Go compares: a locale must not change an order. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The hooks of one event in the order in which Helm runs them: by weight, then name. */
export function hooksFor(hooks: readonly Hook[], event: HookEvent): Hook[] {
  return hooks
    .filter((hook) => hook.events?.includes(event) === true)
    .sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0) || compareText(a.name ?? '', b.name ?? ''));
}

/** An unreachable node must not delay the end of an action. */
const TIMEOUT_MS = 10_000;

const MOST_BYTES = 20_000;
const TAIL = `tailLines=50&limitBytes=${MOST_BYTES}`;

async function podsOf({ member, namespace, signal }: ActionContext, hook: Unstructured): Promise<Unstructured[]> {
  const { name, namespace: own = namespace } = hook.metadata;
  const options = { signal, timeoutMs: TIMEOUT_MS };
  if (hook.kind === 'Pod') {
    const pod = await member.kube.get<Unstructured>(podResource, { name, namespace: own }, options);
    return pod === undefined ? [] : [pod];
  }
  const query = { namespace: own, labelSelector: `job-name=${name}`, ...options };
  return (await member.kube.list<Unstructured>(podResource, query)).items;
}

async function read({ member, signal }: ActionContext, pod: Unstructured): Promise<string> {
  const query = `container=${encodeURIComponent(failingContainer(pod))}&${TAIL}`;
  const path = `${objectPath(podResource, pod.metadata, 'log')}?${query}`;
  const text = String(await member.kube.read(path, { signal, timeoutMs: TIMEOUT_MS, asText: true }));
  // No mask finds half a secret.
  return Buffer.byteLength(text) < MOST_BYTES ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n')));
}

/** The last lines of a pod, or its state and why there is no output. */
async function outputOf(context: ActionContext, pod: Unstructured): Promise<string> {
  const { name } = pod.metadata;
  try {
    const lines = lastLines(await read(context, pod), (text) => context.secrets.mask(text));
    return lines === '' ? `pod ${name} (${podState(pod)}) printed nothing` : `pod ${name} printed last:\n${lines}`;
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    return `the output of pod ${name} (${podState(pod)}) cannot be read: ${reasonText(error)}`;
  }
}

async function ofHook(context: ActionContext, hook: Unstructured): Promise<string[]> {
  try {
    const pod = failingPod(await podsOf(context, hook));
    return pod === undefined ? [] : [await outputOf(context, pod)];
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    return [`the pods of ${hook.kind}/${hook.metadata.name} cannot be read: ${reasonText(error)}`];
  }
}

/**
 * The output of a failed hook's pods, for users; undefined without pods. Throws CancelledError only: the failure of the
 * hook counts more.
 */
async function hookOutput(context: ActionContext, hook: readonly Unstructured[]): Promise<string | undefined> {
  const texts: string[] = [];
  const running = hook.filter((object) => isPod(object) || isJob(object));
  for (const object of running) texts.push(...(await ofHook(context, object)));
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** A failure and the output of the hook, in one text. */
export function withOutput(failure: string, output: string | undefined): string {
  return output === undefined ? failure : `${failure}: ${output}`;
}

/** The hooks of a release after some of them ran. `error`: why one failed; `output`: what its pods printed. */
export interface HookResult extends Failure {
  readonly hooks: readonly Hook[];
}

interface Failure {
  readonly error?: string;
  /** What `error` is the text of. */
  readonly cause?: unknown;
  readonly output?: string | undefined;
}

type DeletePolicy = 'before-hook-creation' | 'hook-succeeded' | 'hook-failed';

function hasPolicy(hook: Hook, policy: DeletePolicy): boolean {
  const policies = hook.delete_policies ?? [];
  return policies.length === 0 ? policy === 'before-hook-creation' : policies.includes(policy);
}

async function clear(context: ActionContext, hook: Hook, policy: DeletePolicy, timeoutMs: number): Promise<void> {
  if (!hasPolicy(hook, policy)) return;
  const deleted = await deleteHook(context, await objectsOfRelease(context, hook.manifest ?? ''));
  await waitUntilGone(context, deleted, timeoutMs);
}

function isComplete(live: Unstructured | undefined, wanted: Unstructured): boolean {
  if (live === undefined) return goesByItself(wanted);
  const outcome = completionOf(live);
  if (outcome.failure !== undefined) throw new ActionError(`${live.kind}/${live.metadata.name} ${outcome.failure}`);
  return outcome.done;
}

async function runHook(context: ActionContext, hook: Hook, timeoutMs: number): Promise<void> {
  await clear(context, hook, 'before-hook-creation', timeoutMs);
  const objects = await objectsOfRelease(context, hook.manifest ?? '');
  // Helm labels the objects of a release, but not its hooks.
  await applyPlain(context, objects);
  await waitUntil(context, objects, { timeoutMs, waitingFor: 'completion of', isDone: isComplete });
}

async function attempt(context: ActionContext, hook: Hook, timeoutMs: number): Promise<Failure & { ran: Hook }> {
  const started_at = timestamp(context);
  try {
    await runHook(context, hook, timeoutMs);
    return { ran: { ...hook, last_run: { started_at, completed_at: timestamp(context), phase: 'Succeeded' } } };
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    const ran: Hook = { ...hook, last_run: { started_at, completed_at: timestamp(context), phase: 'Failed' } };
    const output = await hookOutput(context, await objectsOfRelease(context, hook.manifest ?? ''));
    return { ran, error: `hook ${hook.path ?? ''} failed: ${reasonText(error)}`, cause: error, output };
  }
}

/**
 * Runs the hooks of one event by weight, each to its end, with their delete policies. Stops at the first that fails.
 * Returns all hooks of the release with their last runs. Throws only what ends the reconciliation.
 */
export async function runHooks(
  context: ActionContext,
  hooks: readonly Hook[],
  options: { readonly event: HookEvent; readonly timeoutMs: number; readonly skip?: (hook: Hook) => boolean },
): Promise<HookResult> {
  const { event, timeoutMs } = options;
  const due = hooksFor(hooks, event).filter((hook) => options.skip?.(hook) !== true);
  const runs = new Map<Hook, Hook>();
  let failure: Failure = {};
  for (const hook of due) {
    const { ran, ...result } = await attempt(context, hook, timeoutMs);
    runs.set(hook, ran);
    failure = result;
    if (failure.error !== undefined) break;
  }
  for (const [hook, ran] of [...runs].reverse()) {
    await clear(context, hook, ran.last_run.phase === 'Failed' ? 'hook-failed' : 'hook-succeeded', timeoutMs);
  }
  return { hooks: hooks.map((hook) => runs.get(hook) ?? hook), ...failure };
}

export interface TestOptions {
  readonly timeoutMs: number;
  /** `exclude` false: run only the named ones, when there is any such filter. */
  readonly filters: readonly { readonly name: string; readonly exclude?: boolean | undefined }[];
}

/** True for a test that the filters leave out. */
export function isSkipped(name: string, filters: TestOptions['filters']): boolean {
  if (filters.some((filter) => filter.exclude === true && filter.name === name)) return true;
  const only = filters.filter((filter) => filter.exclude !== true);
  return only.length > 0 && !only.some((filter) => filter.name === name);
}

/** Runs the release's test hooks and records their results in storage, as `helm test` does. */
export async function test(context: ActionContext, version: number, options: TestOptions): Promise<Outcome> {
  const stored = await context.storage.read(version);
  if (stored === undefined)
    return { record: undefined, error: `revision ${version} is not in Helm's storage any more` };
  const { hooks, error, output } = await runHooks(context, stored.record.hooks ?? [], {
    event: 'test',
    timeoutMs: options.timeoutMs,
    skip: (hook) => isSkipped(hook.name ?? '', options.filters),
  });
  const record = stored.record.hooks === undefined ? stored.record : { ...stored.record, hooks: [...hooks] };
  if (record !== stored.record) await context.storage.update(stored, record);
  return error === undefined ? { record } : { record, error: withOutput(error, output) };
}
