import type { Application } from '#api/v1alpha1/application.js';
import type { Cache } from '#controllers/runtime/controller.js';
import { digestKey } from './answers.js';

/** Names of namespaces, sorted. */
export interface NamespaceNames {
  readonly all: readonly string[];
  /** The same for the same names. */
  readonly key: string;
}

/** The namespaces that have an Application, collected once for each time that one comes or goes. */
export class Namespaces {
  readonly #applications: Pick<Cache<Application>, 'list'>;
  #known: NamespaceNames | undefined;

  constructor(applications: Pick<Cache<Application>, 'list' | 'onChange'>) {
    this.#applications = applications;
    applications.onChange(({ type }) => {
      if (type !== 'updated') this.#known = undefined;
    });
  }

  get names(): NamespaceNames {
    this.#known ??= this.#collect();
    return this.#known;
  }

  #collect(): NamespaceNames {
    const all = [...new Set(this.#applications.list().map(({ metadata }) => metadata.namespace ?? ''))].sort();
    return { all, key: digestKey(all) };
  }
}
