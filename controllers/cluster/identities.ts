import type { KubeObject } from '#api/meta.js';
import type { Cache, Change } from '../runtime/controller.js';

/** How long others wait for a cluster to tell which one it is. */
const PATIENCE_MS = 300_000;
/** One that does not answer is waited for anew at most so often, however often its credential is written. */
const RESTART_MS = 3_600_000;

/** A question that a cluster has not answered yet. Times are epoch milliseconds. */
interface Question {
  /** When it was first looked at; undefined: nobody waits yet. */
  readonly sinceMs: number | undefined;
  /** When a change of the credential last made others wait anew. */
  readonly restartedMs: number | undefined;
}

interface Options {
  /** This process asks clusters, so that what is not known now may be known soon. */
  readonly isAsking?: boolean;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** What a change names: the cluster, as `clusterIdText`. */
function named(id: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ClusterIdentity', metadata: { name: id } };
}

/**
 * Which clusters answered behind the names of the inventory: the UID of the namespace kube-system, as the last probe
 * found it. A process that starts asks again, so it is not stored here.
 */
export class Identities implements Pick<Cache<KubeObject>, 'onChange'> {
  /** The last UIDs by `clusterIdText`; undefined: the cluster did not tell. None from before its object was made. */
  readonly #answers = new Map<string, string | undefined>();
  readonly #questions = new Map<string, Question>();
  readonly #isAsking: boolean;
  readonly #now: () => number;
  readonly #handlers: ((change: Change) => void)[] = [];

  constructor({ isAsking = true, now = Date.now }: Options = {}) {
    this.#isAsking = isAsking;
    this.#now = now;
  }

  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
  }

  /**
   * Undefined: the cluster was not asked yet, has not answered yet, or does not tell. While it is asked again, this is
   * its last answer, until others have waited long enough for the next one.
   */
  uidOf(id: string): string | undefined {
    return this.#isOver(id) ? undefined : this.#answers.get(id);
  }

  /**
   * True until a cluster told its UID, or that it does not tell, or others waited long enough. Only the first look
   * starts that time: on a standby, nobody waits.
   */
  isToBeAsked(id: string): boolean {
    const question = this.#questions.get(id);
    if (!this.#isAsking || (question === undefined && this.#answers.has(id))) return false;
    if (question?.sinceMs !== undefined) return !this.#isOver(id);
    this.#questions.set(id, { sinceMs: this.#now(), restartedMs: question?.restartedMs });
    return true;
  }

  /** The last answer of a cluster may be outdated; nobody needs to know before it answers again. */
  askAgain(id: string): void {
    const question = this.#questions.get(id);
    const { sinceMs, restartedMs } = question ?? {};
    if (question === undefined) {
      this.#questions.set(id, { sinceMs, restartedMs });
      return;
    }
    if (sinceMs === undefined || (restartedMs !== undefined && this.#now() < restartedMs + RESTART_MS)) return;
    // An unknown UID stays unknown until the cluster answers.
    if (this.#isOver(id) && this.#answers.has(id)) this.#answers.set(id, undefined);
    this.#questions.set(id, { sinceMs: undefined, restartedMs: this.#now() });
  }

  /** Nothing is known of a cluster, as its object is gone. */
  forget(id: string): void {
    const wasKnown = this.uidOf(id) !== undefined;
    this.#answers.delete(id);
    this.#questions.delete(id);
    if (wasKnown) this.#tell(id);
  }

  /** A cluster told its UID; undefined: it does not tell. The same answer as before is news to nobody. */
  set(id: string, uid: string | undefined): void {
    const isNews = !this.#answers.has(id) || this.uidOf(id) !== uid;
    this.#answers.set(id, uid);
    this.#questions.delete(id);
    if (isNews) this.#tell(id);
  }

  /** True once others waited for long enough: then it is unknown which cluster it is. */
  #isOver(id: string): boolean {
    const sinceMs = this.#questions.get(id)?.sinceMs;
    return sinceMs !== undefined && this.#now() >= sinceMs + PATIENCE_MS;
  }

  #tell(id: string): void {
    for (const handler of this.#handlers) handler({ type: 'updated', object: named(id) });
  }
}
