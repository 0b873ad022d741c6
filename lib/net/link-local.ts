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

const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** True for a link-local address, in any notation of an IP address. */
export function isLinkLocal(address: string): boolean {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  return version !== 0 && LINK_LOCAL.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/** True for the `hostname` of a URL that is a link-local address, or the name of a metadata server. */
export function isMetadataHost(hostname: string): boolean {
  const name = hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return METADATA_NAMES.has(name) || isLinkLocal(name);
}

/** `dns.lookup` for all addresses of a name. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Looks up a name; fails with `refusal` when it stands for a link-local address. */
export function guardedLookup(resolve: Resolve, refusal: (host: string) => Error): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const [first] = addresses;
      if (addresses.some(({ address }) => isLinkLocal(address))) callback(refusal(hostname), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}
