import omit from 'lodash/omit.js';
import type { KubeObject } from '#api/meta.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import { ConflictError, isServerTrouble, TransientError } from '#lib/errors.js';
import { asksForDryRun } from '../dry-run/report.js';
import type { ProgressStatus } from './model/progress.js';
import type { NewEvent } from './model/types.js';
import type { KindWriter } from './finalizers.js';
import { mergePatch } from './model/merge-patch.js';

interface KeptObject<Status> extends KubeObject {
  readonly status?: Status;
}

/** The object with the status. */
interface StatusTarget<Status> extends KindWriter {
  /** As it was read. */
  readonly object: KeptObject<Status>;
}

type Say<Status> = (status: Status) => Status | undefined;

/** True for a request that did not arrive, or met a server in trouble; not for one that was refused. */
function isLost(error: unknown): boolean {
  if (!(error instanceof TransientError)) return false;
  const { status } = error;
  return status === undefined || (status.code !== 429 && isServerTrouble(error));
}

function isSameSpec({ metadata: live }: KubeObject, { metadata: read }: KubeObject): boolean {
  return live.uid === read.uid && live.generation === read.generation && live.deletionTimestamp === undefined;
}

/**
 * The status of one object during a reconciliation, and how much of it is written. Written by merge patch without
 * resourceVersion: nobody else writes this status, and an edit of the spec must not cost the outcome of an action.
 */
export class KeptStatus<Status extends ProgressStatus> {
  /** The status so far, written or not. */
  current: Status;
  #written: Partial<Status>;
  /** The version that was read, and those that were written on it: the newest is the last. */
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

  /** The object, as it was read. */
  get object(): KubeObject {
    return this.#target.object;
  }

  /** Writes what is not written yet. A request that fails is sent once more: what was done must not be forgotten. */
  async write(): Promise<void> {
    await this.#write({});
  }

  /**
   * Like `write`, but throws ConflictError if anybody else has changed the object since it was read. False if there was
   * nothing to write: nobody was asked then.
   */
  async writeUnchanged(): Promise<boolean> {
    await this.settle();
    const written = await this.#write({ metadata: { resourceVersion: [...this.#versions].pop() } });
    // Only here: what another write returns may follow a change that we have not seen.
    if (written !== undefined) this.#versions.add(written.metadata.resourceVersion);
    return written !== undefined;
  }

  /**
   * Writes the conditions that `say` returns if nothing is written for `afterMs`; `undefined` writes nothing. Errors
   * are ignored, and another generation is not changed. A second call restarts the time. In a dry run nothing is said:
   * nothing is under way.
   */
  sayLater(say: Say<Status>, afterMs: number): void {
    if (asksForDryRun(this.#target.object)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#saying = this.#saying.then(() => this.#say(say));
    }, afterMs);
  }

  /** Cancels `sayLater`, and waits for a write that has begun. Every reconciliation must end with it. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saying;
  }

  /** True for the resourceVersion that was read, or that was written to it. */
  async isOwn(version: string | undefined): Promise<boolean> {
    await this.#saying;
    return this.#versions.has(version);
  }

  async #write(precondition: object): Promise<KubeObject | undefined> {
    await this.settle();
    const next = this.current;
    const patch = mergePatch(this.#written, next);
    if (patch === undefined) return undefined;
    const body = { ...precondition, status: patch };
    const written = await this.#patch(body).catch((error: unknown) => {
      if (!isLost(error)) throw error;
      return this.#patch(body);
    });
    this.#written = next;
    this.#target.onWritten?.(written);
    return written;
  }

  async #say(say: Say<Status>): Promise<void> {
    const { kube, type, object } = this.#target;
    try {
      const version = await this.#sayOn({ ...object, status: this.current }, say);
      this.#versions.add(version);
    } catch (error: unknown) {
      if (!(error instanceof ConflictError)) return;
      // The cache was behind. The reconciliation notices it by itself before it acts.
      const live = await kube.get<KeptObject<Status>>(type, object.metadata).catch(() => undefined);
      if (live !== undefined && isSameSpec(live, object)) await this.#sayOn(live, say).catch(() => undefined);
    }
  }

  /** Returns the new resourceVersion. Throws ConflictError if the object has changed. */
  async #sayOn({ metadata, status }: KeptObject<Status>, say: Say<Status>): Promise<string | undefined> {
    const { resourceVersion } = metadata;
    const said = status && say(status);
    if (said === undefined) return resourceVersion;
    this.current = say(this.current) ?? this.current;
    const { conditions } = said;
    // Whether this write succeeds or not, the next one includes the conditions.
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

/** What a phase wants known of an object. */
export interface Report<Status> {
  readonly status: Status;
  readonly events?: readonly NewEvent[];
}

/** The part of a reconciliation that reports. */
export interface Reporting<Status extends ProgressStatus> {
  readonly status: KeptStatus<Status>;
  readonly events: EventRecorder;
}

/** Records events, and keeps the status for the next write. */
export function report<S extends ProgressStatus>({ status, events = [] }: Report<S>, pass: Reporting<S>): void {
  pass.status.current = status;
  for (const { type, reason, message } of events) pass.events.record(pass.status.object, type, reason, message);
}

/** Reports, and writes the status if it differs from what is written. */
export async function writeStatus<S extends ProgressStatus>(reported: Report<S>, pass: Reporting<S>): Promise<void> {
  report(reported, pass);
  await pass.status.write();
}
