import { secretResource } from '#api/core.js';
import type { Change, Watch } from '#runtime/controller.js';
import { backoffDelay } from '#lib/retry/retry.js';
import { WaitingError } from '#lib/errors.js';
import { parseKey } from '#lib/kube/keys.js';
import { createLru } from '#lib/lru.js';

/** Of a cluster that does not answer. */
const BACKOFF = { baseMs: 5_000, capMs: 900_000 };
/** Who is not told that its turn has come asks again after this. */
const WAIT_MS = 10_000;
/** Clusters that are remembered. */
const MAX_MEMBERS = 20_000;

export interface TurnsOptions {
  /** How many clusters that are not known to answer are asked at once. */
  readonly trials: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What is known of a cluster; before it is asked, nothing. */
interface Member {
  /** It answered when it was asked last. */
  answers: boolean;
  /** Somebody is finding out whether it answers. */
  isTried: boolean;
  /** Requests without an answer since the last one. */
  failures: number;
  notBefore: number;
  /** The Secrets that wait for its answer. */
  readonly waiting: Set<string>;
}

/** Whether a request was answered, if only with an error; undefined: that says nothing about the cluster. */
type End = (isAnswered: boolean | undefined) => void;

/** It is not the turn of a Secret. */
export class TurnError extends WaitingError {
  /** False: nobody knows yet whether the cluster answers. */
  readonly isSilent: boolean;

  constructor(retryAfterMs: number, isSilent: boolean) {
    // In the words of no request: it may have been for another namespace.
    const message = isSilent ? 'the cluster did not answer when it was asked last' : 'other clusters are asked first';
    super('ClusterNotAsked', message, { retryAfterMs });
    this.isSilent = isSilent;
  }
}

/**
 * Which clusters may be asked now. One that answers may be asked at any time. The others share a few turns: each is
 * asked once at a time, for whichever namespace, and less and less often. However many of them hang, enough workers are
 * left for those that answer.
 */
export class MemberTurns implements Pick<Watch['cache'], 'onChange'> {
  readonly #options: TurnsOptions;
  readonly #members = createLru<Member>(MAX_MEMBERS, () => 1);
  readonly #handlers: ((change: Change) => void)[] = [];
  /** Secrets that wait until one of these turns is free, the first one first. */
  readonly #queue = new Set<string>();
  #trials = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Calls back with each Secret whose turn may have come. */
  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
  }

  /** Begins a request to a cluster on behalf of a Secret. Throws a TurnError if it must not be sent now. */
  begin(cluster: string, secret: string): End {
    const member = this.#member(cluster);
    const isTrial = !member.answers;
    if (isTrial) this.#admit(member, secret);
    return (isAnswered) => {
      if (isTrial) this.#endTrial(member);
      if (isAnswered === true) this.#answered(member);
      if (isAnswered === false) this.#failed(member);
    };
  }

  #member(cluster: string): Member {
    const known = this.#members.get(cluster);
    if (known !== undefined) return known;
    const member = { answers: false, isTried: false, failures: 0, notBefore: -Infinity, waiting: new Set<string>() };
    this.#members.set(cluster, member);
    return member;
  }

  #admit(member: Member, secret: string): void {
    const { now, trials } = this.#options;
    const openInMs = member.notBefore - now();
    const isSilent = member.failures > 0;
    if (member.isTried || openInMs > 0) {
      member.waiting.add(secret);
      throw new TurnError(openInMs > 0 ? openInMs : WAIT_MS, isSilent);
    }
    if (this.#trials >= trials) {
      this.#queue.add(secret);
      throw new TurnError(WAIT_MS, isSilent);
    }
    this.#queue.delete(secret);
    member.waiting.delete(secret);
    member.isTried = true;
    this.#trials += 1;
  }

  #endTrial(member: Member): void {
    member.isTried = false;
    this.#trials -= 1;
    const [next] = this.#queue;
    if (next === undefined) return;
    this.#queue.delete(next);
    this.#wake(next);
  }

  #answered(member: Member): void {
    Object.assign(member, { answers: true, failures: 0, notBefore: -Infinity });
    const waiting = [...member.waiting];
    member.waiting.clear();
    for (const secret of waiting) this.#wake(secret);
  }

  #failed(member: Member): void {
    const { now, random } = this.#options;
    // Requests that were under way together count once.
    if (!member.answers && member.notBefore > now()) return;
    const notBefore = now() + backoffDelay(BACKOFF, member.failures, random());
    Object.assign(member, { answers: false, failures: member.failures + 1, notBefore });
  }

  #wake(secret: string): void {
    const { version, kind } = secretResource;
    const change: Change = { type: 'updated', object: { apiVersion: version, kind, metadata: parseKey(secret) } };
    for (const handler of this.#handlers) handler(change);
  }
}
