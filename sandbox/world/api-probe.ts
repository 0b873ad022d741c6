import { Agent, request } from 'undici';
import { until } from '#runtime/until.js';

const POLL_MS = 50;
const REQUEST_MS = 5_000;

export interface Answer {
  readonly code: number;
  readonly body: string;
}

/** Just enough of a client to see a control plane come up, before there is anything for the real client to rely on. */
export class ApiProbe {
  readonly #server: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(options: { server: string; ca: string; token: string }) {
    this.#server = options.server;
    this.#token = options.token;
    this.#agent = new Agent({ connect: { ca: options.ca }, connections: 1 });
  }

  /** Undefined when the server did not answer. */
  async send(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer | undefined> {
    try {
      const response = await request(`${this.#server}${path}`, {
        method,
        dispatcher: this.#agent,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      return { code: response.statusCode, body: await response.body.text() };
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Asks again and again until the answer is yes; throws the reason of `signal`. */
export async function untilYes(isDone: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const ask = async (): Promise<boolean> => {
    if (await isDone()) return true;
    signal.throwIfAborted();
    return false;
  };
  await until(ask, { timeoutMs: Infinity, intervalMs: POLL_MS });
}
