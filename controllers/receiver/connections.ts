import type { Socket } from 'node:net';

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

/**
 * The open connections of a server that anybody may connect to. When there are too many, the network with most of them
 * loses the one that has waited longest without a whole request: a few slow clients keep nobody else away, and no proxy
 * whose clients all have one address needs a setting.
 */
export class Connections {
  readonly #most: number;
  /** In the order in which they began to wait; the value is their network. */
  readonly #open = new Map<Socket, string>();
  /** Their request arrived and is handled. */
  readonly #handled = new Set<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a connection in, and closes another one if that is too much; closes it if all others are being handled. */
  add(socket: Socket): void {
    this.#open.set(socket, senderNetwork(socket.remoteAddress ?? ''));
    socket.once('close', () => this.#remove(socket));
    if (this.#open.size <= this.#most) return;
    const ended = this.#longestOfLargest();
    // A closed one counts no longer, though its event comes later.
    this.#remove(ended);
    ended.destroy();
  }

  /** The result of `handle`, during which the connection is not closed for others. */
  async handling<T>(socket: Socket, handle: () => Promise<T>): Promise<T> {
    this.#handled.add(socket);
    try {
      return await handle();
    } finally {
      this.#handled.delete(socket);
      const network = this.#open.get(socket);
      // It begins to wait now.
      if (this.#open.delete(socket)) this.#open.set(socket, network ?? '');
    }
  }

  #remove(socket: Socket): void {
    this.#open.delete(socket);
    this.#handled.delete(socket);
  }

  /** Never undefined after an `add`: what came last is not handled yet. */
  #longestOfLargest(): Socket {
    const waiting = new Map<string, Socket>();
    const counts = new Map<string, number>();
    for (const [socket, network] of this.#open) {
      counts.set(network, (counts.get(network) ?? 0) + 1);
      if (!this.#handled.has(socket) && !waiting.has(network)) waiting.set(network, socket);
    }
    const countOf = (network: string): number => counts.get(network) ?? 0;
    return [...waiting].reduce((most, each) => (countOf(each[0]) > countOf(most[0]) ? each : most))[1];
  }
}
