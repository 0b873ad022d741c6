import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { readsOf } from '#runtime/client/fence.js';
import type { Kube, WriteOptions } from '#runtime/client/kube.js';
import { CancelledError, TransientError } from '#lib/errors.js';

/**
 * How the writes of a release end: `killed` as those of a process that is gone (neither this one nor a later one is
 * sent), `lost` as over a broken connection (this one arrives, its answer does not, and the process lives on).
 */
export type CutMode = 'killed' | 'lost';

interface Armed {
  readonly mode: CutMode;
  /** The write that is hit, from 1. */
  readonly at: number;
  readonly writes: string[];
}

interface Write {
  readonly verb: string;
  readonly type: ResourceType;
  readonly ref: ObjectRef;
  readonly options: (WriteOptions & { readonly dryRun?: boolean }) | undefined;
}

/** Releases, and the namespaces that they live in, are named like this, so that each write tells whose it is. */
const CASE_NAME = /[a-z]+-n\d\d[kl]/;

function refOf({ metadata: { name, namespace } }: KubeObject): ObjectRef {
  return { name, namespace };
}

/** Cuts off the writes of single releases, to host and member alike, counted together for each release. */
export class Cuts {
  readonly #armed = new Map<string, Armed>();

  /** Counts the writes of a release from now on; hits the `at`th one. */
  arm(name: string, mode: CutMode, at: number): void {
    this.#armed.set(name, { mode, at, writes: [] });
  }

  /** What the release wrote since it was armed, the one that was hit included. */
  writesOf(name: string): readonly string[] {
    return this.#armed.get(name)?.writes ?? [];
  }

  isHit(name: string): boolean {
    const armed = this.#armed.get(name);
    return armed !== undefined && armed.writes.length >= armed.at;
  }

  /** Every write passes again. */
  clear(): void {
    this.#armed.clear();
  }

  /** The same client, whose writes may be cut off. */
  through(kube: Kube): Kube {
    return {
      ...readsOf(kube),
      actingAs: (user) => this.through(kube.actingAs(user)),
      create: (type, object, options) =>
        this.#pass({ verb: 'create', type, ref: refOf(object), options }, () => kube.create(type, object, options)),
      update: (type, object, options) =>
        this.#pass({ verb: 'update', type, ref: refOf(object), options }, () => kube.update(type, object, options)),
      apply: (type, object, options) =>
        this.#pass({ verb: 'apply', type, ref: refOf(object), options }, () => kube.apply(type, object, options)),
      patch: (type, ref, patch, options) =>
        this.#pass({ verb: 'patch', type, ref, options }, () => kube.patch(type, ref, patch, options)),
      delete: (type, ref, options) =>
        this.#pass({ verb: 'delete', type, ref, options }, () => kube.delete(type, ref, options)),
    };
  }

  async #pass<T>(write: Write, send: () => Promise<T>): Promise<T> {
    const armed = this.#armedFor(write);
    if (armed === undefined) return send();
    const { verb, type, ref, options } = write;
    const count = armed.writes.push(`${verb} ${[type.plural, options?.subresource].join('/')} ${ref.name}`);
    if (armed.mode === 'killed' && count >= armed.at) throw new CancelledError('the process is gone');
    const answer = await send();
    if (armed.mode === 'lost' && count === armed.at) throw new TransientError('the answer was lost on its way');
    return answer;
  }

  #armedFor({ type, ref, options }: Write): Armed | undefined {
    if (options?.dryRun === true || options?.fieldManager === 'publisher' || type.kind === 'Event') return undefined;
    return this.#armed.get(CASE_NAME.exec(`${ref.namespace ?? ''}/${ref.name}`)?.[0] ?? '');
  }
}
