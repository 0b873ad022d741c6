import type { KubeObject } from '#api/meta.js';
import type { Cache, Change } from '#runtime/controller.js';
import { defined } from '#lib/plain.js';

/** How long others wait for a cluster to tell which one it is, after it was asked without success. */
const PATIENCE_MS = 300_000;
/** How long they wait at most, however many are asked before it, and however often its credential is written. */
const MOST_MS = 1_800_000;
/** One that does not answer is waited for anew so long after that began: nobody waits for ever. */
const RENEWAL_MS = 3_600_000;

/** A question that a cluster has not answered yet. Times are those of the clock. */
interface Question {
  /** When others first waited, at most an hour ago; undefined: nobody did. */
  readonly waitingMs?: number;
  /** When it was first looked at; undefined: nobody waits yet. */
  readonly lookedMs?: number;
  /** When the first probe ended that was begun after it; undefined: the cluster was not asked yet. */
  readonly askedMs?: number;
  /** It cannot be asked as it is now: waiting for it again would be in vain. */
  readonly isUnaskable?: boolean;
}

/** It is open which cluster this is, so nothing new may go there: it was not asked yet, or its credential was written. */
interface Doubt {
  /** Until when its answer is waited for; undefined: it was not asked since. */
  readonly untilMs?: number;
}

interface Options {
  /** This process asks clusters, so that what is not known now may be known soon. */
  readonly isAsking?: boolean;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

function isOld(question: Question | undefined, nowMs: number): boolean {
  if (question?.isUnaskable === true) return false;
  return question?.waitingMs !== undefined && nowMs >= question.waitingMs + RENEWAL_MS;
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
  /** By `clusterIdText`; see `#doubtOf`. */
  readonly #doubts = new Map<string, Doubt>();
  readonly #isAsking: boolean;
  readonly #now: () => number;
  readonly #handlers: ((change: Change) => void)[] = [];

  constructor({ isAsking = true, now = () => performance.now() }: Options = {}) {
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
   * starts that time: on a standby, nobody waits. A cluster that does not answer is waited for again after an hour.
   */
  isToBeAsked(id: string): boolean {
    const question = this.#questions.get(id);
    if (!this.#isAsking || (question === undefined && this.#answers.has(id))) return false;
    const nowMs = this.#now();
    if (isOld(question, nowMs)) this.#startOver(id, {});
    const { waitingMs = nowMs, lookedMs = nowMs, ...rest } = this.#questions.get(id) ?? {};
    this.#questions.set(id, { waitingMs, lookedMs, ...rest });
    return !this.#isOver(id);
  }

  /**
   * True until a cluster was asked for the first time, or after its object or credential was written, whatever it
   * answered: for seconds.
   */
  isUnasked(id: string): boolean {
    const doubt = this.#doubtOf(id);
    return this.isToBeAsked(id) && doubt !== undefined && doubt.untilMs === undefined;
  }

  /** True for five minutes after such a question at most, while it has no answer. */
  isSilent(id: string): boolean {
    const { untilMs } = this.#doubtOf(id) ?? {};
    return this.isToBeAsked(id) && untilMs !== undefined && this.#now() < untilMs;
  }

  /**
   * The last answer of a cluster may be outdated; nobody needs to know before it answers again. `isSame`: its credential
   * was not written, so that what is new may still go to the cluster that answered.
   */
  askAgain(id: string, isSame = false): void {
    const { waitingMs } = this.#questions.get(id) ?? {};
    const nowMs = this.#now();
    if (!isSame) this.#doubts.set(id, {});
    if (waitingMs === undefined || nowMs < waitingMs + MOST_MS) this.#startOver(id, defined({ waitingMs }));
    else if (nowMs >= waitingMs + RENEWAL_MS) this.#startOver(id, {});
  }

  /** A cluster was asked, and did not answer. `isUnaskable`: it is not asked, as it is not ready or has no credential. */
  asked(id: string, isUnaskable = false): void {
    const question = this.#questions.get(id);
    if (question === undefined && this.#answers.has(id)) return;
    this.#questions.set(id, { askedMs: this.#now(), ...question, isUnaskable });
    const doubt = this.#doubtOf(id);
    if (doubt === undefined || doubt.untilMs !== undefined) return;
    this.#doubts.set(id, { untilMs: this.#now() + (isUnaskable ? 0 : PATIENCE_MS) });
    this.#tell(id);
  }

  /** Nothing is known of a cluster, as its object is gone. */
  forget(id: string): void {
    const wasKnown = this.uidOf(id) !== undefined;
    this.#answers.delete(id);
    this.#questions.delete(id);
    this.#doubts.delete(id);
    if (wasKnown) this.#tell(id);
  }

  /**
   * A cluster told its UID; undefined: it does not tell. The same answer as before is news to nobody, unless it comes
   * late.
   */
  set(id: string, uid: string | undefined): void {
    const isLate = this.#doubts.get(id)?.untilMs !== undefined;
    const isNews = isLate || !this.#answers.has(id) || this.uidOf(id) !== uid;
    this.#answers.set(id, uid);
    this.#questions.delete(id);
    this.#doubts.delete(id);
    if (isNews) this.#tell(id);
  }

  /** Undefined: it is known which cluster this is, or that it does not tell. */
  #doubtOf(id: string): Doubt | undefined {
    return this.#doubts.get(id) ?? (this.#answers.has(id) ? undefined : {});
  }

  /** True once others waited for long enough: then it is unknown which cluster it is. */
  #isOver(id: string): boolean {
    const { waitingMs, lookedMs, askedMs } = this.#questions.get(id) ?? {};
    if (waitingMs !== undefined && this.#now() >= waitingMs + MOST_MS) return true;
    return lookedMs !== undefined && askedMs !== undefined && this.#now() >= Math.max(lookedMs, askedMs) + PATIENCE_MS;
  }

  /** Asks anew. A UID that is unknown stays so until the cluster answers. */
  #startOver(id: string, question: Question): void {
    if (this.#isOver(id) && this.#answers.has(id)) this.#answers.set(id, undefined);
    this.#questions.set(id, question);
  }

  #tell(id: string): void {
    for (const handler of this.#handlers) handler({ type: 'updated', object: named(id) });
  }
}
