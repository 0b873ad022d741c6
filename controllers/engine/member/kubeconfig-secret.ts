import type { KubeObject } from '#api/meta.js';
import { TerminalError } from '../../runtime/pure/errors.js';

const DEFAULT_KEYS = ['value', 'value.yaml'] as const;

/** A Secret with a kubeconfig. */
export interface KubeconfigSecret extends KubeObject {
  data?: Record<string, string>;
}

/** Where a kubeconfig is; without a key in `value`, else in `value.yaml`. */
export interface KubeconfigPlace {
  readonly namespace: string;
  readonly name: string;
  readonly key: string | undefined;
}

/** A kubeconfig of a Secret that is not used, and why. */
export function invalidKubeconfig(
  { namespace, name }: KubeconfigPlace,
  keys: readonly string[],
  problem: string,
): TerminalError {
  const shown = keys.map((key) => JSON.stringify(key)).join(' or ');
  return new TerminalError('KubeConfigInvalid', `kubeconfig in Secret ${namespace}/${name}, key ${shown}: ${problem}`);
}

/** The key that holds the kubeconfig, and its text. Throws TerminalError `KubeConfigInvalid`. */
export function readSecretKey(secret: KubeconfigSecret, place: KubeconfigPlace): { key: string; content: string } {
  const wanted = place.key === undefined ? DEFAULT_KEYS : [place.key];
  const data = secret.data ?? {};
  const key = wanted.find((candidate) => data[candidate] !== undefined);
  const content = Buffer.from(data[key ?? ''] ?? '', 'base64').toString('utf8');
  if (key !== undefined && content.trim() !== '') return { key, content };
  if (key !== undefined) throw invalidKubeconfig(place, [key], 'it is empty; put the kubeconfig there');
  const wayOut = 'put the kubeconfig there, or name its key in kubeConfig.secretRef.key';
  throw invalidKubeconfig(place, wanted, `the Secret does not have this key; ${wayOut}`);
}
