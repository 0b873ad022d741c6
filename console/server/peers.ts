import { X509Certificate } from 'node:crypto';
import { BlockList, isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { UserInfo } from '#api/core.js';

/** The certificates in a text, each as PEM. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Address and prefix of a subnet; of an address alone, its own. */
export function subnetOf(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [, address = '', bits] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const most = family === 'ipv6' ? 128 : 32;
  const prefix = Number(bits ?? most);
  return isIP(address) === 0 || prefix > most ? undefined : { address, prefix, family };
}

/** The addresses in `10.0.0.0/8`, `::1` and the like. Throws a RangeError naming one that cannot be read. */
export function addressesIn(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const subnet = subnetOf(text);
    if (subnet === undefined) throw new RangeError(`${JSON.stringify(text)} is neither an address nor a subnet`);
    list.addSubnet(subnet.address, subnet.prefix, subnet.family);
  }
  return list;
}

/** True for the address of a connection; one of IPv4 may be written as IPv6. */
export function includesAddress(list: BlockList, remote: string | undefined): boolean {
  const address = (remote ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function asSecure(socket: Socket): TLSSocket | undefined {
  return socket instanceof TLSSocket ? socket : undefined;
}

/**
 * The certificate that the other end of a connection proved to have, if one of these authorities issued it itself.
 * TLS has checked its time and purpose by then, and that some authority of ours issued it: here it matters which one.
 */
export function peerCertificate(socket: Socket, issuers: readonly X509Certificate[]): X509Certificate | undefined {
  const secure = asSecure(socket);
  if (secure?.authorized !== true) return undefined;
  const certificate = secure.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const isIssued = issuers.some((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
  return isIssued ? certificate : undefined;
}

function fieldsOf(certificate: X509Certificate): ReadonlyMap<string, string[]> {
  const fields = new Map<string, string[]>();
  const { subject } = certificate.toLegacyObject();
  for (const [key, value] of Object.entries(subject)) fields.set(key, [value as string | string[]].flat());
  return fields;
}

/** The common name of a certificate; undefined if it has none, or several. */
export function commonName(certificate: X509Certificate): string | undefined {
  const names = fieldsOf(certificate).get('CN') ?? [];
  return names.length === 1 && names[0] !== '' ? names[0] : undefined;
}

/** Who has a client certificate, as Kubernetes reads it: the common name, in the groups of its organizations. */
export function userOfCertificate(certificate: X509Certificate): UserInfo | undefined {
  const username = commonName(certificate);
  return username === undefined ? undefined : { username, groups: fieldsOf(certificate).get('O') ?? [] };
}
