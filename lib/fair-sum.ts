import maxBy from 'lodash/maxBy.js';

/** The part of a sum that one piece of work holds. */
export interface Share {
  /** Holds so many bytes more, or fewer. Throws a TypeError for what is no number: nothing would exceed such a sum. */
  grow(bytes: number): void;
  /** Holds nothing any more. */
  end(): void;
}

interface Holding {
  readonly tenant: string;
  readonly giveUp: () => void;
  bytes: number;
}

/**
 * The share that a tenant gives up. `last`: the one that began last of those that are large enough, else the largest:
 * for work that comes to its end, so that some of it does. `largest`: for what stays.
 */
type GivenUp = 'last' | 'largest';

/**
 * The bytes that all tenants hold together. Above `most`, the tenant that holds most gives up a share: who holds little
 * never pays.
 */
export class FairSum {
  readonly #most: number;
  readonly #gives: GivenUp;
  /** In the order in which they began. */
  readonly #holdings = new Set<Holding>();
  #total = 0;

  constructor(most: number, gives: GivenUp = 'last') {
    this.#most = most;
    this.#gives = gives;
  }

  /** `giveUp` frees what is held, at once. It is called once at most, and the share has ended then. */
  share(tenant: string, giveUp: () => void): Share {
    const holding: Holding = { tenant, giveUp, bytes: 0 };
    this.#holdings.add(holding);
    return {
      grow: (bytes) => {
        if (!Number.isFinite(bytes)) throw new TypeError(`a share cannot grow by ${bytes} bytes`);
        if (!this.#holdings.has(holding)) return;
        holding.bytes += bytes;
        this.#total += bytes;
        if (this.#total > this.#most) this.#takeBack();
      },
      end: () => this.#end(holding),
    };
  }

  #end(holding: Holding): void {
    if (this.#holdings.delete(holding)) this.#total -= holding.bytes;
  }

  #takeBack(): void {
    while (this.#total > this.#most) {
      const holding = this.#next();
      if (holding === undefined) return;
      this.#end(holding);
      holding.giveUp();
    }
  }

  /** The share to be given up. */
  #next(): Holding | undefined {
    const sums = new Map<string, number>();
    for (const { tenant, bytes } of this.#holdings) sums.set(tenant, (sums.get(tenant) ?? 0) + bytes);
    const most = Math.max(...sums.values());
    const own = [...this.#holdings].filter(({ tenant }) => sums.get(tenant) === most);
    const excess = this.#gives === 'largest' ? Infinity : this.#total - this.#most;
    return own.findLast(({ bytes }) => bytes >= excess) ?? maxBy(own, ({ bytes }) => bytes);
  }
}
