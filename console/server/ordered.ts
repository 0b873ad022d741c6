import type { Application } from '#api/v1alpha1/application.js';
import type { Cache, Change } from '#controllers/runtime/controller.js';
import { sortedBy, sortKeyOf } from './model/application-query.js';

/** All Applications in the orders that lists are asked for, sorted once for each time that an order changes. */
export class Ordered {
  readonly #applications: Pick<Cache<Application>, 'list'>;
  readonly #byKey = new Map<string, Application[]>();

  constructor(applications: Pick<Cache<Application>, 'list' | 'onChange'>) {
    this.#applications = applications;
    applications.onChange((change) => {
      for (const [sort, sorted] of [...this.#byKey]) {
        // First of all, so that nothing that goes wrong leaves an old order.
        this.#byKey.delete(sort);
        if (replaced(sorted, sort, change)) this.#byKey.set(sort, sorted);
      }
    });
  }

  /** Ascending, by a key of a query. It may change later: use it at once. */
  by(sort: string): readonly Application[] {
    const known = this.#byKey.get(sort) ?? sortedBy(this.#applications.list(), sort);
    this.#byKey.set(sort, known);
    return known;
  }
}

/** Most changes are of a status: each Application stays where it is. False if the order has to be made anew. */
function replaced(sorted: Application[], sort: string, { type, object, previous }: Change<Application>): boolean {
  if (type !== 'updated' || previous === undefined || sortKeyOf(previous, sort) !== sortKeyOf(object, sort))
    return false;
  const index = sorted.indexOf(previous);
  if (index === -1) return false;
  sorted[index] = object;
  return true;
}
