import type { KubeObject } from '#api/meta.js';
import type { Cache } from '#runtime/controller.js';
import { digestKey } from './answers.js';

/** Names of namespaces, sorted. */
export interface NamespaceNames {
  readonly all: readonly string[];
  /** The same for the same names. */
  readonly key: string;
}

/** The namespaces that have an object of a kind, e.g. an Application, collected once for each time that one comes or goes. */
export class Namespaces {
  readonly #list: () => readonly KubeObject[];
  #known: NamespaceNames | undefined;

  constructor(cache: Pick<Cache<KubeObject>, 'list' | 'onChange'>) {
    this.#list = () => cache.list();
    cache.onChange(({ type }) => {
      if (type !== 'updated') this.#known = undefined;
    });
  }

  get names(): NamespaceNames {
    this.#known ??= this.#collect();
    return this.#known;
  }

  #collect(): NamespaceNames {
    const all = [...new Set(this.#list().map(({ metadata }) => metadata.namespace ?? ''))].sort();
    return { all, key: digestKey(all) };
  }
}
