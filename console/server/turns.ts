import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { UserInfo } from '#api/core.js';
import { linkSignals } from '#controllers/runtime/signals.js';
import { admit, type Crowd } from './model/admission.js';

/** Requests that take long, of which each user has only some at a time. */
export class Turns {
  readonly #crowd: Crowd;
  readonly #open = new Set<{ readonly username: string }>();
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
  begin({ username }: UserInfo, response: ServerResponse, limitMs: number): AbortSignal {
    const turn = { username };
    admit(
      [...this.#open].map((each) => each.username),
      username,
      this.#crowd,
    );
    const gone = new AbortController();
    const { signal, unlink } = linkSignals([gone.signal, this.#stopping.signal], limitMs);
    const end = (): void => {
      gone.abort();
      unlink();
      this.#open.delete(turn);
    };
    this.#open.add(turn);
    if (response.closed) end();
    else response.once('close', end);
    return signal;
  }
}
