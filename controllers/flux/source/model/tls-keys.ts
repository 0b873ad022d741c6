import { privateKeyIn, UNUSABLE_KEY } from '#controllers/runtime/pure/private-key.js';

/** Where a Secret has the private key of a client certificate; the second one in old Secrets, which Flux reads, too. */
export const TLS_KEYS = ['tls.key', 'keyFile'] as const;

/** The data of a Secret with its private keys as they are used. A problem names the key. */
export function withTlsKeys(
  data: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | { readonly problem: string } {
  const read = new Map(data);
  for (const name of TLS_KEYS) {
    const text = data.get(name) ?? '';
    const key = privateKeyIn(text);
    if (text !== '' && key === undefined) return { problem: `its key ${name} ${UNUSABLE_KEY}` };
    if (key !== undefined) read.set(name, key.pem);
  }
  return read;
}
