import omit from 'lodash/omit.js';
import type { KubeObject } from '#api/meta.js';
import { ConflictError } from '../../runtime/pure/errors.js';
import type { KindWriter } from './finalizers.js';
import { mergePatch } from './model/merge-patch.js';
import type { ProgressStatus } from './model/progress.js';

interface KeptObject<Status> extends KubeObject {
  readonly status?: Status;
}

/** What the status belongs to. */
export interface StatusTarget<Status> extends KindWriter {
  /** As it was read. */
  readonly object: KeptObject<Status>;
}

type Say<Status> = (status: Status) => Status | undefined;

function isSameSpec({ metadata: live }: KubeObject, { metadata: read }: KubeObject): boolean {
  return live.uid === read.uid && live.generation === read.generation && live.deletionTimestamp === undefined;
}

/**
 * The status of one object during a pass: as it is by now, and what of it is written. Merge patches, as a rule without
 * resourceVersion: nobody else writes this status, and the outcome of an action must not get lost because a user edited
 * the spec meanwhile.
 */
export class KeptStatus<Status extends ProgressStatus> {
  /** As it is by now, written or not. */
  current: Status;
  #written: Partial<Status>;
  readonly #versions: Set<string | undefined>;
  readonly #target: StatusTarget<Status>;
  #timer: NodeJS.Timeout | undefined;
  #saying: Promise<void> = Promise.resolve();

  constructor(target: StatusTarget<Status>, initial: Status) {
    this.#target = target;
    this.current = initial;
    this.#written = initial;
    this.#versions = new Set([target.object.metadata.resourceVersion]);
  }

  /** Writes what is not written yet. */
  async write(): Promise<void> {
    await this.settle();
    const next = this.current;
    const patch = mergePatch(this.#written, next);
    if (patch === undefined) return;
    await this.#patch({ status: patch });
    this.#written = next;
  }

  /**
   * Says what the pass does if it writes nothing for `afterMs`: the conditions that `say` gives, unless the status says
   * so much already (undefined). A late word is not worth a failure, and no other version of the spec gets it. Asked
   * again, the time starts again.
   */
  sayLater(say: Say<Status>, afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#saying = this.#saying.then(() => this.#say(say));
    }, afterMs);
  }

  /** Nothing will be said any more, and what was is written. Every pass must end with it. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saying;
  }

  /** True for a resourceVersion of the object as it was read, or as what was said made it. */
  async isOwn(version: string | undefined): Promise<boolean> {
    await this.#saying;
    return this.#versions.has(version);
  }

  async #say(say: Say<Status>): Promise<void> {
    const { kube, type, object } = this.#target;
    try {
      const version = await this.#sayOn({ ...object, status: this.current }, say);
      this.#versions.add(version);
    } catch (error: unknown) {
      if (!(error instanceof ConflictError)) return;
      // The object was read from a cache that is behind: the pass finds that out by itself before it does anything.
      const live = await kube.get<KeptObject<Status>>(type, object.metadata).catch(() => undefined);
      if (live !== undefined && isSameSpec(live, object)) await this.#sayOn(live, say).catch(() => undefined);
    }
  }

  /** The resourceVersion that comes of it. Throws ConflictError where the object is another by now. */
  async #sayOn({ metadata, status }: KeptObject<Status>, say: Say<Status>): Promise<string | undefined> {
    const { resourceVersion } = metadata;
    const said = status && say(status);
    if (said === undefined) return resourceVersion;
    this.current = say(this.current) ?? this.current;
    const { conditions } = said;
    // Whether they get there or not, the next write has the conditions.
    this.#written = omit(this.#written, 'conditions') as Partial<Status>; // a field that is optional
    const written = await this.#patch({ metadata: { resourceVersion }, status: { conditions } });
    this.#written = { ...this.#written, conditions };
    return written.metadata.resourceVersion;
  }

  #patch(body: object): Promise<KubeObject> {
    const { kube, type, object, fieldManager } = this.#target;
    const { name, namespace } = object.metadata;
    return kube.patch(type, { name, namespace }, { type: 'merge', body }, { subresource: 'status', fieldManager });
  }
}
