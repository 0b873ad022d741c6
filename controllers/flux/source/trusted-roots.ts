import * as tls from 'node:tls';

/** Node >= 22.15 lists all that it trusts, NODE_EXTRA_CA_CERTS included; the types are those of Node 20. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };

/** `ca` (PEM) beside the roots that are trusted anyway: a private CA never takes away the public ones, as in Flux. */
export function trustedRoots(ca: string): string[] {
  return [...(getCACertificates?.('default') ?? tls.rootCertificates), ca];
}
