import { isMap } from '#lib/plain.js';
import { NAMESPACE } from '../world/world.js';

/** Fields that name a namespace in which something runs. */
const PLACES: ReadonlySet<string> = new Set(['targetNamespace', 'storageNamespace']);

/** A story's own names on servers that many stories share. */
export class Names {
  /** The namespace of its Applications. */
  readonly namespace: string;
  /** Real UIDs of clusters, by their names in the story. */
  readonly #uids: ReadonlyMap<string, string>;

  constructor(number: number, uids: ReadonlyMap<string, string>) {
    this.namespace = `s${String(number).padStart(7, '0')}`;
    this.#uids = uids;
  }

  /** A namespace of this story in which something runs. */
  place(name: string): string {
    return `${this.namespace}-${name}`;
  }

  /** Returns a value of the world in memory in the names of the real servers. */
  toReal<T>(value: T): T {
    return this.#toReal('', value) as T; // only texts change
  }

  /** Returns a value of a real server in the names of the story. */
  fromReal<T>(value: T): T {
    let text = JSON.stringify(value).replaceAll(`${this.namespace}-`, '').replaceAll(this.namespace, NAMESPACE);
    for (const [name, uid] of this.#uids) text = text.replaceAll(uid, name);
    return JSON.parse(text) as T; // only texts change
  }

  #toReal(key: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#toReal('', each));
    if (isMap(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#toReal(name, each)]));
    }
    if (typeof value !== 'string') return value;
    if (key === 'namespace' && value === NAMESPACE) return this.namespace;
    return PLACES.has(key) ? this.place(value) : (this.#uids.get(value) ?? value);
  }
}

/** All namespaces in which the steps of a story run something, without those of its Applications. */
export function placesIn(value: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (each: unknown): void => {
    if (Array.isArray(each)) each.forEach(visit);
    if (!isMap(each)) return;
    const { at, to } = each;
    const field = typeof at === 'string' ? (at.split('.').at(-1) ?? '') : '';
    if (PLACES.has(field) && typeof to === 'string') found.add(to);
    for (const [key, inner] of Object.entries(each)) {
      if (PLACES.has(key) && typeof inner === 'string') found.add(inner);
      visit(inner);
    }
  };
  visit(value);
  return found;
}
