import type { Application } from '#api/v1alpha1/application.js';
import type { Cache, Change } from '#runtime/controller.js';
import { orderOf, sortedBy, type ApplicationQuery } from '../shared/application-query.js';
import { matching } from '../shared/page-query.js';
import { EVERYWHERE, type Allowed } from './access.js';

/** Which Applications are kept, and in which order. */
type Wanted = Pick<ApplicationQuery, 'sort' | 'filter' | 'tests'>;

interface Listed extends Pick<Wanted, 'sort' | 'tests'> {
  /** Where those are that are wanted. */
  readonly within: Allowed;
}

interface Kept extends Listed {
  readonly found: Application[];
  /** Monotonic milliseconds. */
  usedMs: number;
}

export interface OrderedOptions {
  /** Monotonic milliseconds; default `performance.now`. */
  readonly now: () => number;
  /** What a filter finds in a shorter list is not kept: it is soon found again. */
  readonly short: number;
}

const OPTIONS: OrderedOptions = { now: () => performance.now(), short: 1_000 };
/** Each change is held against each filter, and of what has none against the namespaces. */
const MOST = { filtered: 32, whole: 512 };
/** What nobody asks for is not kept longer. */
const KEEP_MS = 60_000;

/** Lists that follow what changes, up to a number of them. */
class Lists {
  readonly #most: number;
  readonly #now: () => number;
  /** The one that was not used for longest comes first. */
  readonly #kept = new Map<string, Kept>();

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  find(key: string): readonly Application[] | undefined {
    const kept = this.#kept.get(key);
    return kept === undefined ? undefined : this.#use(key, kept);
  }

  keep(key: string, listed: Listed, found: Application[]): readonly Application[] {
    this.#use(key, { ...listed, found, usedMs: 0 });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }

  follow(change: Change<Application>): void {
    const oldestMs = this.#now() - KEEP_MS;
    for (const [key, kept] of [...this.#kept]) {
      // First of all, so that nothing that goes wrong leaves an old list.
      this.#kept.delete(key);
      if (kept.usedMs >= oldestMs && follow(kept, change)) this.#kept.set(key, kept);
    }
  }

  #use(key: string, kept: Kept): readonly Application[] {
    kept.usedMs = this.#now();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.found;
  }
}

/**
 * All Applications, those of some namespaces, and those of them that filters want, in the orders that lists are asked
 * for. Each list is made once, and then follows what changes.
 */
export class Ordered {
  readonly #applications: Pick<Cache<Application>, 'list'>;
  readonly #short: number;
  readonly #whole: Lists;
  readonly #filtered: Lists;

  constructor(applications: Pick<Cache<Application>, 'list' | 'onChange'>, options: Partial<OrderedOptions> = {}) {
    const { now, short } = { ...OPTIONS, ...options };
    this.#applications = applications;
    this.#short = short;
    this.#whole = new Lists(MOST.whole, now);
    this.#filtered = new Lists(MOST.filtered, now);
    applications.onChange((change) => {
      this.#whole.follow(change);
      this.#filtered.follow(change);
    });
  }

  /** Ascending, without pages. It may change later: use it at once. */
  wanted({ sort, filter, tests }: Wanted, within = EVERYWHERE): readonly Application[] {
    if (filter === '') return this.#all(sort, within);
    // No sort and no key of namespaces has a line break.
    const key = [sort, within.key, filter].join('\n');
    const known = this.#filtered.find(key);
    if (known !== undefined) return known;
    const all = this.#all(sort, within);
    const found = matching(all, { tests });
    return all.length < this.#short ? found : this.#filtered.keep(key, { sort, tests, within }, [...found]);
  }

  #all(sort: string, within: Allowed): readonly Application[] {
    const key = `${sort}\n${within.key}`;
    return this.#whole.find(key) ?? this.#whole.keep(key, { sort, tests: [], within }, this.#made(sort, within));
  }

  #made(sort: string, within: Allowed): Application[] {
    if (within.namespaces === undefined) return sortedBy(this.#applications.list(), sort);
    return this.#all(sort, EVERYWHERE).filter((application) => isWithin(within, application));
  }
}

function isWithin({ namespaces }: Allowed, { metadata }: Application): boolean {
  return namespaces === undefined || namespaces.has(metadata.namespace ?? '');
}

/** Where it is, or would be. */
function placeOf(
  found: readonly Application[],
  application: Application,
  sort: string,
): [index: number, isIn: boolean] {
  const compare = orderOf(sort);
  let [low, high] = [0, found.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const each = found[middle];
    if (each !== undefined && compare(each, application) < 0) low = middle + 1;
    else high = middle;
  }
  const each = found[low];
  return [low, each !== undefined && compare(each, application) === 0];
}

/** False: it is not where it should be. */
function takeOut({ sort, found }: Kept, application: Application): boolean {
  const [index, isIn] = placeOf(found, application, sort);
  if (isIn) found.splice(index, 1);
  return isIn;
}

/** False: it is there already. */
function putIn({ sort, found }: Kept, application: Application): boolean {
  const [index, isIn] = placeOf(found, application, sort);
  if (!isIn) found.splice(index, 0, application);
  return !isIn;
}

/** False if the list has to be made anew. */
function follow(kept: Kept, { type, object, previous }: Change<Application>): boolean {
  const isWanted = (application: Application): boolean =>
    isWithin(kept.within, application) && kept.tests.every((test) => test(application));
  const before = type === 'deleted' ? (previous ?? object) : previous;
  if (before === undefined && type === 'updated') return false;
  if (before !== undefined && isWanted(before) && !takeOut(kept, before)) return false;
  return type === 'deleted' || !isWanted(object) || putIn(kept, object);
}
