import { isProxyUrl, type ProxySettings } from '#lib/net/proxy.js';
import type { Deps } from './deps.js';
import type { Source } from './model/types.js';
import { readSecret, unusableSecret } from './secrets.js';

/**
 * The proxy of a source that names one in `spec.proxySecretRef`, in place of that of the environment; undefined when it
 * does not. Throws WaitingError `AuthenticationFailed`, naming the Secret and the key.
 */
export async function proxiesOf(
  deps: Deps,
  source: Source & { readonly spec: { readonly proxySecretRef?: { readonly name: string } } },
  signal: AbortSignal,
): Promise<ProxySettings | undefined> {
  const { proxySecretRef } = source.spec;
  if (proxySecretRef === undefined) return undefined;
  const reference = { field: 'spec.proxySecretRef', name: proxySecretRef.name };
  const data = await readSecret(deps, source, reference, signal);
  const address = data.get('address') ?? '';
  if (!isProxyUrl(address)) {
    const problem = 'its key address is not the URL of a proxy: write e.g. http://proxy.example.com:3128';
    throw unusableSecret(deps, reference, problem);
  }
  const url = new URL(address);
  // An editor ends a file with a newline.
  const line = (key: string): string => encodeURIComponent((data.get(key) ?? '').replace(/\r?\n$/, ''));
  [url.username, url.password] = [line('username'), line('password')];
  return { http: url.href, https: url.href };
}
