import sum from 'lodash/sum.js';
import type { KubeObject } from '#api/meta.js';
import type { Share } from '#lib/fair-sum.js';
import { keptBytes } from '#lib/json/nesting.js';
import { keyOf } from '#lib/kube/keys.js';

/** The approximate memory of the objects that a cache keeps, in a sum with those of others. */
export class Weights {
  readonly #share: Pick<Share, 'grow'> | undefined;
  #bytes: Map<string, number>;

  /** `share` absent: nothing is counted. `others`: objects that are counted there, and from now on here, too. */
  constructor(share: Pick<Share, 'grow'> | undefined, others?: Weights) {
    this.#share = share;
    this.#bytes = others === undefined ? new Map<string, number>() : new Map(others.#bytes);
    share?.grow(sum([...this.#bytes.values()]));
  }

  put(object: KubeObject): void {
    if (this.#share === undefined) return;
    const key = keyOf(object.metadata);
    this.#set(key, key.length + keptBytes(JSON.stringify(object)));
  }

  remove(object: KubeObject): void {
    this.#set(keyOf(object.metadata), 0);
  }

  /** Takes over what another one has counted for the same share, in place of its own. */
  replaceBy(other: Weights): void {
    this.clear();
    this.#bytes = other.#bytes;
  }

  clear(): void {
    for (const key of this.#bytes.keys()) this.#set(key, 0);
  }

  #set(key: string, bytes: number): void {
    this.#share?.grow(bytes - (this.#bytes.get(key) ?? 0));
    if (bytes === 0) this.#bytes.delete(key);
    else this.#bytes.set(key, bytes);
  }
}
