import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { UserInfo } from '#api/core.js';
import { linkSignals, untilAborted } from '#runtime/process/signals.js';
import { admit, type Crowd } from '../shared/admission.js';
import { Refusal } from '../shared/refusal.js';

/** Who waits for an answer, and how long at most. */
interface Waiting {
  readonly response: ServerResponse;
  readonly limitMs: number;
}

interface Turn {
  readonly signal: AbortSignal;
  /** The user is gone. */
  readonly leave: () => void;
  readonly end: () => void;
}

const LATE = 'no answer in time: ask again later';

/** Requests that take long, of which each user has only some at a time. */
export class Turns {
  readonly #crowd: Crowd;
  readonly #taken = new Set<{ readonly username: string }>();
  readonly #stopping = new AbortController();

  /** All of them end when the server does. */
  constructor(app: Pick<FastifyInstance, 'addHook'>, crowd: Crowd) {
    this.#crowd = crowd;
    app.addHook('preClose', (done) => {
      this.#stopping.abort();
      done();
    });
  }

  /**
   * Lasts until the answer has ended, or the user is gone. The signal says that, and is aborted in `limitMs`. Throws a
   * Refusal (429) if there are too many.
   */
  begin(user: UserInfo, response: ServerResponse, limitMs: number): AbortSignal {
    const { signal, end } = this.#open(user, limitMs);
    whenClosed(response, end);
    return signal;
  }

  /**
   * For work that goes on when the user is gone, as what threads compute: lasts until that has ended, so that nobody
   * piles it up by hanging up. Throws a Refusal: 429 alike, 503 when the time is over.
   */
  async until<T>(
    user: UserInfo,
    { response, limitMs }: Waiting,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { signal, leave, end } = this.#open(user, limitMs);
    whenClosed(response, leave);
    const late = untilAborted(signal).then(() => {
      throw new Refusal(503, LATE);
    });
    const done = work(signal);
    const answer = Promise.race([done, late]);
    // After the race has its result: this ends the time.
    done.then(end, end);
    return answer;
  }

  /** For an answer that several requests may wait for: lasts until the work has ended. Throws a Refusal (429) alike. */
  async during<T>(user: UserInfo, limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, end } = this.#open(user, limitMs);
    try {
      return await work(signal);
    } catch (error: unknown) {
      if (!signal.aborted) throw error;
      throw new Refusal(503, LATE, { cause: error });
    } finally {
      end();
    }
  }

  #open({ username }: UserInfo, limitMs: number): Turn {
    const turn = { username };
    admit(
      [...this.#taken].map((each) => each.username),
      username,
      this.#crowd,
    );
    const gone = new AbortController();
    const { signal, unlink } = linkSignals([gone.signal, this.#stopping.signal], limitMs);
    this.#taken.add(turn);
    const leave = (): void => gone.abort();
    const end = (): void => {
      leave();
      unlink();
      this.#taken.delete(turn);
    };
    return { signal, leave, end };
  }
}

function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
