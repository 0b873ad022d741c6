import { BlockList, isIP } from 'node:net';

/** Where clouds give a machine its credentials, and what else only the machine itself should reach. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
// By NAT64.
LINK_LOCAL.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
// Of AWS and of Alibaba Cloud.
LINK_LOCAL.addAddress('fd00:ec2::254', 'ipv6');
LINK_LOCAL.addAddress('100.100.100.200', 'ipv4');

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
