import { kubesphereClusterResource } from '#api/cluster/kinds.js';
import { secretResource } from '#api/core.js';
import type { KubeObject, ObjectRef } from '#api/meta.js';
import { KubeconfigProblem, readKubeconfig, type KubeconfigRules } from '#engine/member/kubeconfig.js';
import { readSecretKey, type KubeconfigSecret } from '#engine/member/kubeconfig-secret.js';
import type { ClusterCredential } from '#runtime/client/credentials.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { TerminalError } from '#lib/errors.js';
import { describeObject } from '#lib/net/urls.js';
import { argocdKubeconfig } from './model/argocd-kubeconfig.js';
import type { Cluster } from './model/cluster.js';
import { textAt } from './model/fields.js';

/** Where and how credentials are read. */
export interface CredentialReader {
  /** The host cluster. */
  readonly kube: Pick<Kube, 'get'>;
  readonly rules: KubeconfigRules;
}

function invalid(problem: string): TerminalError {
  return new TerminalError('KubeConfigInvalid', problem);
}

async function readSecret(
  ref: ObjectRef,
  { kube }: CredentialReader,
  options: RequestOptions,
): Promise<KubeconfigSecret> {
  const secret = await kube.get<KubeconfigSecret>(secretResource, ref, options);
  if (secret !== undefined) return secret;
  throw new TerminalError('KubeConfigSecretNotFound', `${describeObject('Secret', ref)} does not exist`);
}

function ofArgo(secret: KubeconfigSecret): string {
  const read = argocdKubeconfig(secret.data ?? {});
  if ('text' in read) return read.text;
  throw invalid(`${describeObject('Secret', secret.metadata)} of Argo CD: ${read.problem}`);
}

async function readInline({ id }: Cluster, { kube }: CredentialReader, options: RequestOptions): Promise<string> {
  const object = await kube.get<KubeObject>(kubesphereClusterResource, id, options);
  const encoded = object === undefined ? undefined : textAt(object, 'spec', 'connection', 'kubeconfig');
  if (encoded === undefined || encoded === '') throw invalid('its spec.connection.kubeconfig is empty');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

async function readText(cluster: Cluster, reader: CredentialReader, options: RequestOptions): Promise<string> {
  const { credential } = cluster;
  switch (credential.type) {
    case 'kubeconfig-secret':
      return readSecretKey(await readSecret(credential, reader, options), credential).content;
    case 'argocd-secret':
      return ofArgo(await readSecret(credential, reader, options));
    case 'inline':
      return readInline(cluster, reader, options);
    case 'host':
      throw invalid('it is the cluster that the controller runs in, and has no kubeconfig');
    case 'none':
      throw invalid(credential.why);
  }
}

/**
 * The inventory's own credential of a cluster, read now. Throws TerminalError `KubeConfigSecretNotFound` or
 * `KubeConfigInvalid` with a message that holds nothing of the credential. Does not connect.
 */
export async function readCredential(
  cluster: Cluster,
  reader: CredentialReader,
  options: RequestOptions = {},
): Promise<ClusterCredential> {
  const text = await readText(cluster, reader, options);
  try {
    return readKubeconfig(text, reader.rules);
  } catch (error: unknown) {
    if (error instanceof KubeconfigProblem) throw invalid(`its kubeconfig is not used: ${error.message}`);
    throw error;
  }
}
