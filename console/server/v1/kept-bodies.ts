import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createLru } from '#controllers/runtime/pure/lru.js';

/** One answer, ready to be sent. */
export interface Body {
  readonly bytes: Buffer;
  /** A digest of it. */
  readonly tag: string;
  /** Too short to gain by being compressed. */
  readonly isSmall: boolean;
  /** Compressed once, when it is first asked for. */
  gzipped(): Promise<Buffer>;
}

interface Kept {
  readonly print: () => string;
  body: Body;
  version: number;
  /** When the body was made, and until when it counts although something changed since. */
  untilMs: number;
}

const compress = promisify(gzip);
const SMALL_BYTES = 4_096;
/** Speed rather than size: it is made anew for most changes. */
const LEVEL = 4;
/** Readers who see different things: one of them costs about the length of his body, and half of it for what it is made of. */
const MOST_BYTES = 256 * 1024 * 1024;
const COST = 3;
/** What is made for one kind of reader takes a tenth of the time at most, however often something changes. */
const REST = 9;

function bodyOf(text: string): Body {
  const bytes = Buffer.from(text);
  let gzipped: Promise<Buffer> | undefined;
  return {
    bytes,
    tag: createHash('sha256').update(bytes).digest('base64url'),
    isSmall: bytes.length < SMALL_BYTES,
    gzipped: () => (gzipped ??= compress(bytes, { level: LEVEL })),
  };
}

/** Answers that are the same for all readers of one key, made when one is asked for and something changed. */
export class KeptBodies<Q extends { readonly key: string }> {
  readonly #printerOf: (question: Q) => () => string;
  readonly #now: () => number;
  readonly #kept = createLru<Kept>(MOST_BYTES, ({ body }) => COST * body.bytes.length + 1);
  #version = 0;

  /** `now`: monotonic milliseconds. */
  constructor(printerOf: (question: Q) => () => string, now = () => performance.now()) {
    this.#printerOf = printerOf;
    this.#now = now;
  }

  /** Something changed. */
  outdate(): void {
    this.#version += 1;
  }

  of(question: Q): Body {
    const kept = this.#kept.get(question.key);
    if (kept !== undefined && (kept.version === this.#version || this.#now() < kept.untilMs)) return kept.body;
    const made = this.#make(kept?.print ?? this.#printerOf(question));
    this.#kept.set(question.key, made);
    return made.body;
  }

  #make(print: () => string): Kept {
    const [version, begunMs] = [this.#version, this.#now()];
    const body = bodyOf(print());
    const endedMs = this.#now();
    return { print, body, version, untilMs: endedMs + REST * (endedMs - begunMs) };
  }
}
