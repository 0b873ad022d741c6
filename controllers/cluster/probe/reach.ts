import { namespaceResource } from '#api/core.js';
import { kubeFromConfig, type ClusterCredential } from '../../runtime/credentials.js';
import type { Kube, RequestOptions } from '../../runtime/kube.js';
import { TransientError } from '../../runtime/pure/errors.js';
import { isMap } from '../../runtime/pure/plain.js';
import { answerInTime } from '../answer-limit.js';
import { fieldAt } from '../model/fields.js';
import type { Reached } from '../model/probe.js';

/** The namespace that is as old as its cluster, and is never created again. */
const OLDEST_NAMESPACE = 'kube-system';
/** Of a version; a server may answer with anything. */
const VERSION = /^v?\d+\.\d+[\w.+-]{0,60}$/;
const UID = /^[-\w]{1,64}$/;
/** More than a version or a Namespace ever has. */
const MAX_BYTES = 65_536;

async function readOldest(kube: Kube, options: RequestOptions): Promise<unknown> {
  try {
    return await kube.get(namespaceResource, { name: OLDEST_NAMESPACE }, options);
  } catch (error: unknown) {
    // It may not be read with this credential; the cluster answers.
    if (error instanceof TransientError && error.status !== undefined) return undefined;
    throw error;
  }
}

async function uidOf(kube: Kube, options: RequestOptions): Promise<string | undefined> {
  const found = await readOldest(kube, options);
  if (found === undefined) return undefined;
  const uid = fieldAt(found, 'metadata', 'uid');
  if (typeof uid === 'string' && UID.test(uid)) return uid;
  throw new TransientError(`${kube.server} answers without a UID of namespace ${OLDEST_NAMESPACE}`);
}

function versionIn(answer: unknown): string | undefined {
  const version = isMap(answer) ? answer['gitVersion'] : undefined;
  return typeof version === 'string' && VERSION.test(version) ? version : undefined;
}

async function ask(kube: Kube, signal: AbortSignal): Promise<Reached> {
  const options = { signal, maxBytes: MAX_BYTES };
  const version = versionIn(await kube.read('/version', { ...options, once: true }));
  return { server: kube.server, version, uid: await uidOf(kube, options) };
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
