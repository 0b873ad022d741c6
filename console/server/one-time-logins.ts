import { createHash } from 'node:crypto';
import { Refusal } from '../shared/refusal.js';

/** A code, and who is signed in by it. */
export interface OneTimeLogin {
  /** Of a random source: who knows it is let in. */
  readonly code: string;
  readonly token: string;
}

interface Known {
  /** Undefined once it was used, or is late. */
  readonly token: string | undefined;
  readonly untilMs: number;
}

/** Minutes that a code may be used. */
export const LOGIN_MINUTES = 10;
/** Then the oldest is forgotten. */
const MOST = 100;
const CODE = /^[\w-]{32,128}$/;
const WAY_OUT = 'where `npm start` runs, Enter prints another one';

function keyOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

function refused(problem: string): Refusal {
  return new Refusal(401, `${problem}: ${WAY_OUT}`);
}

/** Codes that sign somebody in once, for some minutes. What is kept of a code is its digest. */
export class OneTimeLogins {
  readonly #known = new Map<string, Known>();

  constructor(private readonly nowMs: () => number) {}

  /** From now on the code may be used. Throws if it could be guessed. */
  offer({ code, token }: OneTimeLogin): void {
    if (!CODE.test(code)) throw new RangeError('a code has 32 to 128 letters, digits, - and _');
    this.#forgetLate();
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(keyOf(code), { token, untilMs: this.nowMs() + LOGIN_MINUTES * 60_000 });
  }

  /** The token of a code. Throws a Refusal (401) with the reason if it has none, or no longer. */
  tokenOf(code: unknown): string {
    this.#forgetLate();
    const known = typeof code === 'string' && CODE.test(code) ? this.#known.get(keyOf(code)) : undefined;
    if (known === undefined) throw refused('the link is not one of this server');
    if (known.token !== undefined) return known.token;
    const isLate = this.nowMs() >= known.untilMs;
    throw refused(isLate ? `the link is older than ${LOGIN_MINUTES} minutes` : 'the link was used already');
  }

  /** The token of a code, which signs nobody in from now on; of two at once, one is refused. */
  use(code: unknown): string {
    const token = this.tokenOf(code);
    const key = keyOf(String(code));
    const { untilMs = 0 } = this.#known.get(key) ?? {};
    this.#known.set(key, { token: undefined, untilMs });
    return token;
  }

  /** Tokens that nobody can ask for any more. */
  #forgetLate(): void {
    const now = this.nowMs();
    for (const [key, { token, untilMs }] of this.#known) {
      if (token !== undefined && now >= untilMs) this.#known.set(key, { token: undefined, untilMs });
    }
  }
}
