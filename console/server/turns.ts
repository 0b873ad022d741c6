import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { UserInfo } from '#api/core.js';
import { linkSignals } from '#controllers/runtime/signals.js';
import { admit, type Crowd } from './model/admission.js';
import { Refusal } from './model/refusal.js';

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
    if (response.closed) end();
    else response.once('close', end);
    return signal;
  }

  /** For an answer that several requests may wait for: lasts until the work has ended. Throws a Refusal (429) alike. */
  async during<T>(user: UserInfo, limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, end } = this.#open(user, limitMs);
    try {
      return await work(signal);
    } catch (error: unknown) {
      if (!signal.aborted) throw error;
      throw new Refusal(503, 'no answer in time: ask again later', { cause: error });
    } finally {
      end();
    }
  }

  #open({ username }: UserInfo, limitMs: number): { readonly signal: AbortSignal; readonly end: () => void } {
    const turn = { username };
    admit(
      [...this.#taken].map((each) => each.username),
      username,
      this.#crowd,
    );
    const gone = new AbortController();
    const { signal, unlink } = linkSignals([gone.signal, this.#stopping.signal], limitMs);
    this.#taken.add(turn);
    const end = (): void => {
      gone.abort();
      unlink();
      this.#taken.delete(turn);
    };
    return { signal, end };
  }
}
