import { privateKeyIn, unusableKey } from '#lib/net/private-key.js';

/** Where a Secret has the private key of a client certificate; the second one in old Secrets, which Flux reads, too. */
export const TLS_KEYS = ['tls.key', 'keyFile'] as const;

/** A handshake signs where everybody else waits: with 8192 bits, for most of a second. */
const MAX_RSA_BITS = 4096;

/** The data of a Secret with its private keys as they are used. A problem names the key. */
export function withTlsKeys(
  data: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | { readonly problem: string } {
  const read = new Map(data);
  for (const name of TLS_KEYS) {
    const text = data.get(name) ?? '';
    const key = privateKeyIn(text);
    if (text === '') continue;
    if (key === undefined || (key.rsaBits ?? 0) > MAX_RSA_BITS)
      return { problem: `its key ${name} ${unusableKey(MAX_RSA_BITS)}` };
    read.set(name, key.pem);
  }
  return read;
}
