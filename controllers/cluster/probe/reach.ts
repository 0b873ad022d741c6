import { uidOf } from '#engine/member/cluster-uid.js';
import { kubeFromConfig, type ClusterCredential } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';
import { answerInTime } from '../answer-limit.js';
import type { Reached } from '../model/probe.js';

/** Of a version; a server may answer with anything. */
const VERSION = /^v?\d+\.\d+[\w.+-]{0,60}$/;
/** More than a version ever has. */
const MAX_BYTES = 65_536;

async function uidIfAny(kube: Kube, signal: AbortSignal): Promise<Pick<Reached, 'uid' | 'mayTellLater'>> {
  try {
    return { uid: await uidOf(kube, { signal }) };
  } catch (error: unknown) {
    // The cluster answers, whatever it says.
    if (error instanceof TransientError && error.status !== undefined) return { uid: undefined, mayTellLater: true };
    throw error;
  }
}

function versionIn(answer: unknown): string | undefined {
  const version = isMap(answer) ? answer['gitVersion'] : undefined;
  return typeof version === 'string' && VERSION.test(version) ? version : undefined;
}

async function ask(kube: Kube, signal: AbortSignal): Promise<Reached> {
  const version = versionIn(await kube.read('/version', { signal, maxBytes: MAX_BYTES, once: true }));
  return { server: kube.server, version, ...(await uidIfAny(kube, signal)) };
}

/** Asks a cluster once, over a connection that is closed after. Errors are those of the client. */
export async function reach(credential: ClusterCredential, signal: AbortSignal): Promise<Reached> {
  const kube = kubeFromConfig(credential);
  try {
    return await answerInTime(kube.server, signal, (limited) => ask(kube, limited));
  } finally {
    await kube.close();
  }
}
