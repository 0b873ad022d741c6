import * as tls from 'node:tls';

/** Node >= 22.15 lists all trusted certificates, NODE_EXTRA_CA_CERTS included; our types are those of Node 20. */
const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };

/** `ca` (PEM) in addition to the default roots: a private CA never replaces the public ones, as in Flux. */
export function trustedRoots(ca: string): string[] {
  return [...(getCACertificates?.('default') ?? tls.rootCertificates), ca];
}
