import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createLru } from '#lib/lru.js';
import {
  mergedUpdate,
  overviewText,
  type PrintedOverview,
  type PrintedUpdate,
  updateBetween,
  updateText,
} from '#queries/views/overview.js';

/** The change that made an answer of the one before it. */
export interface Step extends PrintedUpdate {
  /** Tag of the one before. */
  readonly from: string;
}

/** An update that is a longer part of the whole answer saves too little. */
const PART = 1 / 4;
/** Readers ask every few seconds. */
const MOST_STEPS = 32;

function lengthOf({ changed, removed }: PrintedUpdate): number {
  const texts = [...changed].reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  return [...removed].reduce((sum, key) => sum + key.length, texts);
}

/** The newest steps, which together are a part of the answer that they lead to. */
export function withStep(steps: readonly Step[], step: Step, answerLength: number): readonly Step[] {
  const kept: Step[] = [];
  let room = answerLength * PART;
  for (const each of [...steps, step].reverse().slice(0, MOST_STEPS)) {
    room -= lengthOf(each);
    if (room < 0) break;
    kept.unshift(each);
  }
  return kept;
}

/** Those that lead from the answer with the tag to the last one; undefined: nobody knows any more. */
export function stepsSince(steps: readonly Step[], tag: string): readonly Step[] | undefined {
  const index = steps.findLastIndex(({ from }) => from === tag);
  return index < 0 ? undefined : steps.slice(index);
}

/** One answer, ready to be sent. */
export interface Body {
  readonly bytes: Buffer;
  /** A digest of it. */
  readonly tag: string;
  /** Too short to gain by being compressed. */
  readonly isSmall: boolean;
  /** Compressed once, when it is first asked for. */
  gzipped(): Promise<Buffer>;
  /** As JSON, what makes it of the one with that tag; undefined: nobody knows, or it is not much shorter. */
  since(tag: string): string | undefined;
}

interface Kept {
  readonly print: () => PrintedOverview;
  readonly printed: PrintedOverview;
  readonly body: Body;
  readonly steps: readonly Step[];
  readonly version: number;
  /** When the body was made, and until when it counts although something changed since. */
  readonly untilMs: number;
}

const compress = promisify(gzip);
const SMALL_BYTES = 4_096;
/** Speed rather than size: it is made anew for most changes. */
const LEVEL = 4;
/** Of readers who see different things: one costs his body, and three times as much for what it is made of and came from. */
const MOST_BYTES = 256 * 1024 * 1024;
const COST = 4;
/** What is made for one kind of reader takes a tenth of the time at most, however often something changes. */
const REST = 9;

interface Made {
  readonly printed: PrintedOverview;
  readonly bytes: Buffer;
  readonly tag: string;
}

/** The same answer as before came by the same steps. */
function stepsTo({ printed, bytes, tag }: Made, before: Kept | undefined): readonly Step[] {
  if (before === undefined || before.body.tag === tag) return before?.steps ?? [];
  const update = updateBetween(before.printed, printed);
  return update === undefined ? [] : withStep(before.steps, { from: before.body.tag, ...update }, bytes.length);
}

function bodyOf({ bytes, tag }: Made, steps: readonly Step[]): Body {
  let gzipped: Promise<Buffer> | undefined;
  return {
    bytes,
    tag,
    isSmall: bytes.length < SMALL_BYTES,
    gzipped: () => (gzipped ??= compress(bytes, { level: LEVEL })),
    since: (from) => {
      const known = from === tag ? [] : stepsSince(steps, from);
      return known === undefined ? undefined : updateText(mergedUpdate(known));
    },
  };
}

/** Overviews that are the same for all readers of one key, made when one is asked for and something changed. */
export class KeptOverviews<Q extends { readonly key: string }> {
  readonly #printerOf: (question: Q) => () => PrintedOverview;
  readonly #now: () => number;
  readonly #kept = createLru<Kept>(MOST_BYTES, ({ body }) => COST * body.bytes.length + 1);
  #version = 0;

  /** `now`: monotonic milliseconds. */
  constructor(printerOf: (question: Q) => () => PrintedOverview, now = () => performance.now()) {
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
    const made = this.#make(kept?.print ?? this.#printerOf(question), kept);
    this.#kept.set(question.key, made);
    return made.body;
  }

  #make(print: () => PrintedOverview, before: Kept | undefined): Kept {
    const [version, begunMs] = [this.#version, this.#now()];
    const printed = print();
    const bytes = Buffer.from(overviewText(printed));
    const made = { printed, bytes, tag: createHash('sha256').update(bytes).digest('base64url') };
    const steps = stepsTo(made, before);
    const body = bodyOf(made, steps);
    const endedMs = this.#now();
    return { print, printed, body, steps, version, untilMs: endedMs + REST * (endedMs - begunMs) };
  }
}
