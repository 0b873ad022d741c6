import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Where clouds give a machine its credentials, and what else only the machine itself should reach. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
// With an IPv4 address in it, as once was usual; by NAT64, and by 6to4.
LINK_LOCAL.addSubnet('::a9fe:0', 112, 'ipv6');
LINK_LOCAL.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
LINK_LOCAL.addSubnet('64:ff9b:1::a9fe:0', 112, 'ipv6');
LINK_LOCAL.addSubnet('2002:a9fe::', 32, 'ipv6');
// Of AWS and its pods, of Google Cloud, Alibaba Cloud, Oracle Cloud and Azure.
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']) LINK_LOCAL.addAddress(address, 'ipv6');
for (const address of ['100.100.100.200', '192.0.0.192', '168.63.129.16']) LINK_LOCAL.addAddress(address, 'ipv4');

/** The machine itself; Linux connects an unspecified address to it, too. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addSubnet('0.0.0.0', 8, 'ipv4');
// `::` and `::1`, and all with such an IPv4 address in it, as above.
LOOPBACK.addSubnet('::', 127, 'ipv6');
LOOPBACK.addSubnet('::7f00:0', 104, 'ipv6');
LOOPBACK.addSubnet('64:ff9b::7f00:0', 104, 'ipv6');
LOOPBACK.addSubnet('64:ff9b:1::7f00:0', 104, 'ipv6');
LOOPBACK.addSubnet('2002:7f00::', 24, 'ipv6');

const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

function isIn(list: BlockList, address: string): boolean {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/** True for a link-local address, in any notation of an IP address. */
export function isLinkLocal(address: string): boolean {
  return isIn(LINK_LOCAL, address);
}

/** True for an address of the machine itself, in any notation of an IP address. */
export function isLoopback(address: string): boolean {
  return isIn(LOOPBACK, address);
}

/** The host of a URL as a name or address, without what only a URL needs. */
function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** True for the `hostname` of a URL that says itself that it is the machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  const name = plainHost(hostname);
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}

/** True for the `hostname` of a URL that is a link-local address, or the name of a metadata server. */
export function isMetadataHost(hostname: string): boolean {
  const name = plainHost(hostname);
  return METADATA_NAMES.has(name) || isLinkLocal(name);
}

/** How a message calls a host, or an address that it stands for, to which nothing may lead. */
export function describeRefused(host: string): string {
  return isLoopbackHost(host) ? 'a loopback address' : 'a link-local address';
}

/** The hosts, and the addresses of a host, to which nothing may lead. */
export interface Refusals {
  readonly host: (hostname: string) => boolean;
  readonly address: IsRefused;
}

/**
 * Only the host `named` may be link-local or a metadata server. Addresses of the machine itself are only reached if a
 * user wrote one: `stated`.
 */
export function refusalsFor(named: string, stated = named): Refusals {
  const mayLoop = isLoopbackHost(stated);
  return {
    host: (hostname) => (hostname !== named && isMetadataHost(hostname)) || (!mayLoop && isLoopbackHost(hostname)),
    address: (address, hostname) => (hostname !== named && isLinkLocal(address)) || (!mayLoop && isLoopback(address)),
  };
}

/** `dns.lookup` for all addresses of a name. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** True for an address that a name must not stand for. */
export type IsRefused = (address: string, hostname: string) => boolean;

/** Looks up a name; fails with `refusal` when it stands for a refused address, by default a link-local one. */
export function guardedLookup(
  resolve: Resolve,
  refusal: (host: string, address: string) => Error,
  isRefused: IsRefused = isLinkLocal,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const [first] = addresses;
      const refused = addresses.find(({ address }) => isRefused(address, hostname));
      if (refused !== undefined) callback(refusal(hostname, refused.address), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}
