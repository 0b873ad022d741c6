import isEqual from 'lodash/isEqual.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, Change } from '#runtime/controller.js';

interface Failure {
  readonly grant: string;
  readonly message: string;
}

function grantNamed(name: string): KubeObject {
  const { group, version, kind } = clusterGrantResource;
  return { apiVersion: `${group}/${version}`, kind, metadata: { name } };
}

/**
 * Which credentials of a grant cannot be made or renewed, as the last attempts ended. A process that starts makes these
 * attempts again, so it is not stored anywhere.
 */
export class Failures implements Pick<Cache<KubeObject>, 'onChange'> {
  /** By the key of the credential. */
  readonly #failures = new Map<string, Failure>();
  readonly #handlers: ((change: Change) => void)[] = [];

  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
  }

  /** Undefined: nothing is wrong with this credential, or it is not wanted any more. */
  set(key: string, failure: Failure | undefined): void {
    const before = this.#failures.get(key);
    if (isEqual(before, failure)) return;
    if (failure === undefined) this.#failures.delete(key);
    else this.#failures.set(key, failure);
    const grants = [before, failure].flatMap((each) => each?.grant ?? []);
    for (const grant of new Set(grants)) this.#notify({ type: 'updated', object: grantNamed(grant) });
  }

  get(key: string): Failure | undefined {
    return this.#failures.get(key);
  }

  /** The messages of a grant, in a stable order. */
  of(grant: string): string[] {
    const found = [...this.#failures.values()].filter((failure) => failure.grant === grant);
    return found.map(({ message }) => message).sort();
  }

  #notify(change: Change): void {
    for (const handler of this.#handlers) handler(change);
  }
}
