import type { Application } from '#api/v1alpha1/application.js';
import type { Cache, Change } from '#controllers/runtime/controller.js';
import { orderOf, sortedBy, type ApplicationQuery } from './model/application-query.js';
import { matching } from './model/page-query.js';

/** Which Applications are kept, and in which order. */
type Wanted = Pick<ApplicationQuery, 'sort' | 'filter' | 'tests'>;

interface Kept extends Wanted {
  readonly found: Application[];
  /** Monotonic milliseconds. */
  usedMs: number;
}

/** Lists that are kept; each change is held against each of them. */
const MOST_KEPT = 32;
/** What nobody asks for is not kept longer. */
const KEEP_MS = 60_000;

const ALL = { filter: '', tests: [] };

/**
 * All Applications, and those that filters want, in the orders that lists are asked for. Each list is made once, and
 * then follows what changes.
 */
export class Ordered {
  readonly #applications: Pick<Cache<Application>, 'list'>;
  readonly #now: () => number;
  /** The one that was not used for longest comes first. */
  readonly #kept = new Map<string, Kept>();

  /** `now`: monotonic milliseconds. */
  constructor(applications: Pick<Cache<Application>, 'list' | 'onChange'>, now = () => performance.now()) {
    this.#applications = applications;
    this.#now = now;
    applications.onChange((change) => {
      const oldestMs = now() - KEEP_MS;
      for (const [key, kept] of [...this.#kept]) {
        // First of all, so that nothing that goes wrong leaves an old list.
        this.#kept.delete(key);
        if (kept.usedMs >= oldestMs && follow(kept, change)) this.#kept.set(key, kept);
      }
    });
  }

  /** Ascending, without pages. It may change later: use it at once. */
  wanted({ sort, filter, tests }: Wanted): readonly Application[] {
    const key = `${sort} ${filter}`;
    const found = this.#kept.get(key)?.found ?? this.#made({ sort, filter, tests });
    this.#kept.delete(key);
    this.#kept.set(key, { sort, filter, tests, found, usedMs: this.#now() });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }

  #made({ sort, filter, tests }: Wanted): Application[] {
    if (filter === '') return sortedBy(this.#applications.list(), sort);
    return [...matching(this.wanted({ sort, ...ALL }), { tests })];
  }
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
  const isWanted = (application: Application): boolean => kept.tests.every((test) => test(application));
  const before = type === 'deleted' ? (previous ?? object) : previous;
  if (before === undefined && type === 'updated') return false;
  if (before !== undefined && isWanted(before) && !takeOut(kept, before)) return false;
  return type === 'deleted' || !isWanted(object) || putIn(kept, object);
}
