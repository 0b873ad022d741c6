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

type Called = 'apply' | 'get' | 'patch' | 'update';

/** A client whose calls of one method wait for `before`, which sees their arguments. */
export function callingAfter<Method extends Called>(
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

/** A client that waits for `before` ahead of the calls of one method that it makes as a user. */
export function actingAfter(kube: Kube, method: Called, before: () => Promise<void>): Kube {
  const asUser: Kube['actingAs'] = (...args) => callingAfter(kube.actingAs(...args), method, before);
  return new Proxy(kube, {
    get: (target, property): unknown => {
      if (property === 'actingAs') return asUser;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
