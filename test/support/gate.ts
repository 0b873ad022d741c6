import type { Kube } from '#runtime/client/kube.js';

/** Whoever comes to it waits while it is closed. */
export class Gate {
  #opened = Promise.resolve();
  #open = (): void => undefined;

  close(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  pass(): Promise<void> {
    return this.#opened;
  }
}

/** A client whose calls of one method wait for `before`, which sees their arguments. */
export function callingAfter<Method extends 'apply' | 'get' | 'patch'>(
  kube: Kube,
  method: Method,
  before: (...args: Parameters<Kube[Method]>) => Promise<void>,
): Kube {
  return new Proxy(kube, {
    get: (target, property): unknown => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown; // a function bound is a function
      if (property !== method) return call;
      return async (...args: Parameters<Kube[Method]>) => {
        await before(...args);
        return call(...args);
      };
    },
  });
}
