import type { Application } from '#api/v1alpha1/application.js';
import type { Cache } from '#controllers/runtime/controller.js';
import { sortedBy } from './model/application-query.js';

/** All Applications in the orders that lists are asked for, sorted once for each time that one changes. */
export class Ordered {
  readonly #applications: Pick<Cache<Application>, 'list'>;
  readonly #byKey = new Map<string, readonly Application[]>();

  constructor(applications: Pick<Cache<Application>, 'list' | 'onChange'>) {
    this.#applications = applications;
    applications.onChange(() => this.#byKey.clear());
  }

  /** Ascending, by a key of a query. */
  by(sort: string): readonly Application[] {
    const known = this.#byKey.get(sort) ?? sortedBy(this.#applications.list(), sort);
    this.#byKey.set(sort, known);
    return known;
  }
}
