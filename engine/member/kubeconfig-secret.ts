import type { KubeObject } from '#api/meta.js';
import { grantedBy } from '#api/v1alpha1/cluster-grant.js';
import { TerminalError } from '#lib/errors.js';
import { listed } from '#lib/text/text.js';

const DEFAULT_KEYS = ['value', 'value.yaml'] as const;
/** Of a Secret without the right one, in its message. */
const MAX_KEYS = 3;

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

const WAY_OUT = 'put the kubeconfig there, or name its key in kubeConfig.secretRef.key';

function whatItHas(data: Record<string, string>): string {
  const keys = Object.keys(data).sort();
  if (keys.length === 0) return 'does not have this key, and no other one';
  return `does not have this key, but ${listed(
    keys.map((key) => JSON.stringify(key)),
    MAX_KEYS,
  )}`;
}

/** The key that holds the kubeconfig, and its text. Throws TerminalError `KubeConfigInvalid`. */
export function readSecretKey(secret: KubeconfigSecret, place: KubeconfigPlace): { key: string; content: string } {
  const wanted = place.key === undefined ? DEFAULT_KEYS : [place.key];
  const data = secret.data ?? {};
  const key = wanted.find((candidate) => Object.hasOwn(data, candidate));
  const content = Buffer.from(data[key ?? ''] ?? '', 'base64').toString('utf8');
  if (key !== undefined && content.trim() !== '') return { key, content };
  const by = grantedBy(secret);
  if (by !== undefined && key === undefined) {
    throw invalidKubeconfig(
      place,
      wanted,
      `it was removed, because namespace ${place.namespace} may not use it any more; it was given by ${by}: ask for that grant`,
    );
  }
  if (key !== undefined) throw invalidKubeconfig(place, [key], 'it is empty; put the kubeconfig there');
  throw invalidKubeconfig(place, wanted, `the Secret ${whatItHas(data)}; ${WAY_OUT}`);
}
