/** Parts of an IPv6 address, 16 bits each. */
const PARTS = 8;
/** The part that a provider gives to one customer: 64 bits. */
const NETWORK_PARTS = 4;

/** Whom connections of an address count for: the address itself, or the /64 network of an IPv6 address. */
export function senderNetwork(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const partsOf = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [head, tail] = address.replace(/%.*$/, '').split('::').map(partsOf) as [string[], string[]?]; // split has one
  const zeros = new Array<string>(Math.max(0, PARTS - head.length - (tail?.length ?? 0))).fill('0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, NETWORK_PARTS).join(':');
}
