import { secretResource } from '#api/core.js';
import type { KubeObject, ObjectRef } from '#api/meta.js';
import {
  CLUSTER_UID_ANNOTATION,
  CREDENTIAL_CLUSTER_ANNOTATION,
  CREDENTIAL_LABEL,
  FIELD_MANAGER,
  acceptedUid,
  recordedUid,
} from '#api/v1alpha1/labels.js';
import { apiStatusOf, TerminalError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { defined } from '#lib/plain.js';
import { printYaml } from '#lib/yaml/yaml.js';
import type { ClusterCredential } from '#runtime/client/credentials.js';
import { readCredential } from '../connection.js';
import { type Cluster, clusterIdText } from '../model/cluster.js';
import {
  credentialAnnotations,
  type CredentialStep,
  type ObservedCredential,
  renewalOf,
  REVOKED_ANNOTATIONS,
  replacementProblem,
} from '../model/credential.js';
import { reach } from '../probe/reach.js';
import type { Pass } from './deps.js';
import { requestToken, type TokenCredential } from './token.js';

interface Known {
  /** The Secret, if there is one. */
  readonly live: Pick<KubeObject, 'metadata'> | undefined;
  readonly cluster: Cluster;
}

/**
 * The UID of the cluster that a credential leads to, for the next time; undefined if it is unknown. Throws TerminalError
 * `ClusterReplaced` if the Secret was made for another cluster: what is deployed by it would be deployed there, too.
 */
async function sameCluster(
  own: ClusterCredential,
  { live, cluster }: Known,
  signal: AbortSignal,
): Promise<string | undefined> {
  const made = live && recordedUid(live);
  const now = await uidOf(own, made === undefined, signal);
  const problem = replacementProblem({ made, now, accepted: acceptedUid(cluster.annotations) });
  if (problem !== undefined) throw new TerminalError('ClusterReplaced', problem);
  return now;
}

/** The users of the credential may reach a cluster that this process does not. */
async function uidOf(own: ClusterCredential, mayFail: boolean, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await reach(own, signal)).uid;
  } catch (error: unknown) {
    if (mayFail && error instanceof TransientError) return undefined;
    throw error;
  }
}

const NAME = 'cluster';

function encoded(pem: string | undefined): string | undefined {
  return pem === undefined ? undefined : Buffer.from(pem).toString('base64');
}

/** A kubeconfig with this credential and nothing else, as `readKubeconfig`, Flux and kubectl read it. */
export function printKubeconfig(credential: ClusterCredential): string {
  const cluster = defined({
    server: credential.server,
    'certificate-authority-data': encoded(credential.ca),
    'tls-server-name': credential.tlsServerName,
    'proxy-url': credential.proxyUrl,
    'insecure-skip-tls-verify': credential.insecureSkipTlsVerify,
  });
  const user = defined({
    token: credential.token,
    username: credential.username,
    password: credential.password,
    'client-certificate-data': encoded(credential.cert),
    'client-key-data': encoded(credential.key),
  });
  return printYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user }],
  });
}

const KEY = 'value';

type Issue = Extract<CredentialStep, { op: 'issue' }>;
type Live = NonNullable<ObservedCredential['live']>;

/** What is written into a Secret; a field that is null is removed from it. */
interface Content {
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Base64. */
  readonly kubeconfig: string | null;
}

/** The cache holds metadata only. */
function recordWrite({ apiVersion, kind, metadata }: KubeObject, { secrets }: Pass): void {
  secrets.recordWrite({ apiVersion, kind, metadata });
}

async function create(ref: ObjectRef, { annotations, kubeconfig }: Content, pass: Pass): Promise<void> {
  const set = Object.entries(annotations).filter(([, value]) => value !== null);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ref, labels: { [CREDENTIAL_LABEL]: 'true' }, annotations: Object.fromEntries(set) },
    type: 'Opaque',
    data: kubeconfig === null ? {} : { [KEY]: kubeconfig },
  } as KubeObject; // null was filtered out
  recordWrite(
    await pass.kube.create(secretResource, secret, { fieldManager: FIELD_MANAGER, signal: pass.signal }),
    pass,
  );
}

/** Only over the version that was decided on: a Secret of somebody else that took its place is left unchanged. */
async function update(live: Live, content: Content, pass: Pass): Promise<void> {
  try {
    await patch(live, content, pass);
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code !== 422) throw error;
    await replace(live, content, pass);
  }
}

/** What somebody made immutable is created again: else it would keep what it has, whatever is granted. */
async function replace(live: Live, { annotations, kubeconfig }: Content, pass: Pass): Promise<void> {
  const { namespace, name, finalizers = [], annotations: had = {} } = live.metadata;
  await remove(live, pass);
  if (finalizers.length > 0) {
    throw new TransientError(
      `Secret ${name} cannot be changed, and its finalizers keep it: remove ${finalizers.join()}`,
    );
  }
  const identity = {
    [CREDENTIAL_CLUSTER_ANNOTATION]: had[CREDENTIAL_CLUSTER_ANNOTATION] ?? null,
    [CLUSTER_UID_ANNOTATION]: had[CLUSTER_UID_ANNOTATION] ?? null,
  };
  await create({ namespace, name }, { annotations: { ...identity, ...annotations }, kubeconfig }, pass);
}

async function patch({ metadata }: Live, { annotations, kubeconfig }: Content, pass: Pass): Promise<void> {
  const { uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion, annotations }, data: { [KEY]: kubeconfig } };
  const options = { fieldManager: FIELD_MANAGER, signal: pass.signal };
  recordWrite(await pass.kube.patch(secretResource, metadata, { type: 'merge', body }, options), pass);
}

/** What a cluster is asked for on behalf of a Secret. */
interface Question extends Pick<Issue, 'cluster' | 'permit'> {
  readonly ref: ObjectRef;
  readonly live: ObservedCredential['live'];
  /** The inventory's own. */
  readonly own: ClusterCredential;
}

interface Answer {
  /** Undefined: the credential of the inventory is shared. */
  readonly token: TokenCredential | undefined;
  readonly uid: string | undefined;
}

async function ask({ cluster, permit, live, own }: Question, { fence, signal }: Pass): Promise<Answer> {
  const { credential: granted } = permit;
  const shared = granted.type === 'SharedCredential';
  const token = shared ? undefined : await requestToken(own, granted, { fence, signal });
  return { token, uid: await sameCluster(own, { live, cluster }, signal) };
}

/** Whether a cluster that gave this error answers; undefined: the error is not of the cluster. */
function isAnswer(error: unknown): boolean | undefined {
  if (error instanceof TerminalError) return true;
  return error instanceof TransientError ? (error.status?.code ?? 500) < 500 : undefined;
}

/** Throws a TurnError if the cluster must not be asked now. */
async function inTurn(question: Question, pass: Pass): Promise<Answer> {
  const end = pass.turns.begin(clusterIdText(question.cluster.id), keyOf(question.ref));
  try {
    const answer = await ask(question, pass);
    end(true);
    return answer;
  } catch (error: unknown) {
    end(isAnswer(error));
    throw error;
  }
}

/** Makes or renews a kubeconfig, and writes it; returns milliseconds until it is due again, undefined if it has no end. */
export async function issue(
  { cluster, permit }: Issue,
  ref: ObjectRef,
  { live, sourceVersion }: ObservedCredential,
  pass: Pass,
): Promise<number | undefined> {
  const { kube, allowInsecure, signal } = pass;
  const own = await readCredential(cluster, { kube, rules: { allowInsecure } }, { signal });
  const { token, uid } = await inTurn({ cluster, permit, ref, live, own }, pass);
  const nowMs = pass.now();
  const renewAtMs = token === undefined ? undefined : renewalOf(nowMs, token.lifeSeconds, Math.random());
  const content: Content = {
    annotations: {
      ...credentialAnnotations({ cluster, permit, sourceVersion }, renewAtMs),
      [CLUSTER_UID_ANNOTATION]: uid ?? null,
    },
    kubeconfig: Buffer.from(printKubeconfig(token?.credential ?? own)).toString('base64'),
  };
  await (live === undefined ? create(ref, content, pass) : update(live, content, pass));
  return renewAtMs === undefined ? undefined : renewAtMs - nowMs;
}

/** Removes the kubeconfig from a Secret that was made here. */
export function revoke(live: Live, pass: Pass): Promise<void> {
  return update(live, { annotations: REVOKED_ANNOTATIONS, kubeconfig: null }, pass);
}

/** Deletes a Secret that was made here. */
export async function remove({ metadata }: Live, { kube, signal }: Pass): Promise<void> {
  const { uid, resourceVersion } = metadata;
  await kube.delete(secretResource, metadata, { uid, resourceVersion, signal });
}
