import { isJob, isPod, podResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { CancelledError } from '#controllers/runtime/pure/errors.js';
import { objectPath } from '#controllers/runtime/pure/urls.js';
import { lastLines, podState, failingContainer, failingPod } from '../model/hook-output.js';
import { reasonText } from '../../shared/failure.js';
import type { ActionContext } from './context.js';

/** An unreachable node must not delay the end of an action. */
const TIMEOUT_MS = 10_000;
const TAIL = 'tailLines=50&limitBytes=20000';

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
  return String(await member.kube.read(path, { signal, timeoutMs: TIMEOUT_MS, asText: true }));
}

/** The last lines of a pod, or its state and why there is no output. */
async function outputOf(context: ActionContext, pod: Unstructured): Promise<string> {
  const { name } = pod.metadata;
  try {
    const lines = lastLines(await read(context, pod));
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
export async function hookOutput(context: ActionContext, hook: readonly Unstructured[]): Promise<string | undefined> {
  const texts: string[] = [];
  const running = hook.filter((object) => isPod(object) || isJob(object));
  for (const object of running) texts.push(...(await ofHook(context, object)));
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** A failure and the output of the hook, in one text. */
export function withOutput(failure: string, output: string | undefined): string {
  return output === undefined ? failure : `${failure}: ${output}`;
}
