import { serviceAccountResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { kubeFromConfig, type ClusterCredential } from '#runtime/client/credentials.js';
import { fencedKube, type Fence } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import { apiStatusOf, TransientError } from '#lib/errors.js';
import { describeObject } from '#lib/net/urls.js';
import { answerInTime } from '../probe/reach.js';
import { TOKEN_SECONDS } from '../model/credential.js';
import { fieldAt } from '../model/fields.js';

/** Characters of a header; tokens of Kubernetes use fewer. */
const TOKEN = /^[!-~]{1,65536}$/;

/** More than a TokenRequest with the longest token has. */
const MAX_BYTES = 131_072;

/** authentication.k8s.io/v1 TokenRequest. */
interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
}

/** The ServiceAccount of a cluster. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** A credential of a ServiceAccount and how many seconds it lives. */
export interface TokenCredential {
  readonly credential: ClusterCredential;
  readonly lifeSeconds: number;
}

function explained(error: unknown, account: Account): unknown {
  const text = describeObject('ServiceAccount', account);
  const status = apiStatusOf(error);
  const options = { cause: error, status };
  if (status?.code === 404) {
    return new TransientError(`${text} does not exist on the cluster: create it there, or correct the grant`, options);
  }
  if (status?.code === 403) {
    const wayOut = 'allow it to create serviceaccounts/token';
    return new TransientError(`the credential of the inventory may not request tokens of ${text}: ${wayOut}`, options);
  }
  return error;
}

async function request(kube: Kube, account: Account, signal: AbortSignal): Promise<unknown> {
  const wanted: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { ...account },
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const options = { subresource: 'token', maxBytes: MAX_BYTES, signal } as const;
  try {
    return await kube.create<KubeObject>(serviceAccountResource, wanted, options);
  } catch (error: unknown) {
    throw explained(error, account);
  }
}

/** The server says in the spec what it granted; a time of its clock would be wrong by its difference from ours. */
function lifeOf(answer: unknown): number {
  const seconds = fieldAt(answer, 'spec', 'expirationSeconds');
  return typeof seconds === 'number' && seconds > 0 ? seconds : TOKEN_SECONDS;
}

/** A token of a ServiceAccount of the cluster that `own` reaches, with nothing else of that credential. */
export async function requestToken(
  own: ClusterCredential,
  account: Account,
  { fence, signal }: { readonly fence: Fence | undefined; readonly signal: AbortSignal },
): Promise<TokenCredential> {
  const kube = kubeFromConfig(own);
  try {
    const fenced = fence === undefined ? kube : fencedKube(kube, fence);
    const answer = await answerInTime(kube.server, signal, (limited) => request(fenced, account, limited));
    const token = fieldAt(answer, 'status', 'token');
    if (typeof token !== 'string' || !TOKEN.test(token))
      throw new TransientError('the cluster answered without a token');
    const { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl } = own;
    const credential = { server, token, ...defined({ ca, tlsServerName, insecureSkipTlsVerify, proxyUrl }) };
    return { credential, lifeSeconds: lifeOf(answer) };
  } finally {
    await kube.close();
  }
}
