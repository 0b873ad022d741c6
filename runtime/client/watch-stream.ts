import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Share } from '#lib/fair-sum.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { parseHolding } from '#lib/json/held-fields.js';
import { isDenserThan, parsedBytes, parseServed } from '#lib/json/nesting.js';
import { JoinedBytes } from '#lib/joined-bytes.js';
import { isMap } from '#lib/plain.js';
import { answerTooLong, type AnswerSize, type Answering } from './answer-limits.js';
import type { WatchEvent } from './kube.js';
import { bookmarked, typed } from './served-objects.js';

interface WireEvent {
  type: string;
  object: unknown;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
const NEWLINE = 0x0a;

/** The origin of a stream, and its type. */
interface WatchOrigin extends Answering {
  readonly type: ResourceType;
  readonly signal: AbortSignal | undefined;
  /** Limits of one event; absent: none. */
  readonly most?: AnswerSize | undefined;
  /** Hears of the bytes of a line that is not whole yet. */
  readonly share?: Pick<Share, 'grow'> | undefined;
  /** Limit on the memory of all objects of the stream without managed fields. */
  readonly mostInAll?: number | undefined;
}

/**
 * Counts the memory of the last state of each object, which the reader of the stream keeps. Throws TransientError
 * `AnswerTooLong` above the limit.
 */
function counter({ mostInAll, ...asked }: WatchOrigin): (event: WatchEvent<KubeObject> | undefined) => void {
  const kept = new Map<string, number>();
  let bytes = 0;
  return (event) => {
    if (mostInAll === undefined || event === undefined || !('object' in event)) return;
    const { type, object } = event;
    const key = keyOf(object.metadata);
    bytes -= kept.get(key) ?? 0;
    kept.delete(key);
    if (type === 'DELETED') return;
    const size = key.length + parsedBytes(JSON.stringify(withoutManagedFields(object)));
    kept.set(key, size);
    bytes += size;
    if (bytes > mostInAll) throw answerTooLong(asked, `objects of more than ${mostInAll} bytes in one watch`);
  };
}

const ANYTHING: AnswerSize = { bytes: Infinity, marks: Infinity };

function checked(line: string, { marks }: AnswerSize): string {
  if (isDenserThan(line, marks)) throw new Error(`an event has more than ${marks} commas, brackets and digits`);
  return line;
}

/** The beginning of a line that is not whole yet. */
class Pending {
  readonly #share: Pick<Share, 'grow'> | undefined;
  readonly #bytes = new JoinedBytes();

  constructor(share: Pick<Share, 'grow'> | undefined) {
    this.#share = share;
  }

  get length(): number {
    return this.#bytes.length;
  }

  add(part: Buffer): void {
    const before = this.#bytes.capacity;
    this.#bytes.add(part);
    this.#share?.grow(this.#bytes.capacity - before);
  }

  /** The whole line. */
  end(part: Buffer): string {
    if (this.length === 0) return part.toString('utf8');
    this.add(part);
    const line = this.#bytes.view().toString('utf8');
    this.clear();
    return line;
  }

  clear(): void {
    this.#share?.grow(-this.#bytes.capacity);
    this.#bytes.clear();
  }
}

/** Splits a byte stream into lines; a last line without a newline was cut off and is dropped. */
async function* linesOf(
  body: AsyncIterable<Buffer>,
  most: AnswerSize = ANYTHING,
  share?: Pick<Share, 'grow'>,
): AsyncIterable<string> {
  const pending = new Pending(share);
  try {
    for await (const chunk of body) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield checked(pending.end(chunk.subarray(start, end)), most);
        start = end + 1;
      }
      pending.add(chunk.subarray(start));
      if (pending.length > most.bytes) throw new Error(`an event has more than ${most.bytes} bytes`);
    }
  } finally {
    pending.clear();
  }
}

function bookmark(object: unknown, asked: Answering): WatchEvent<never> {
  const { resourceVersion, annotations } = bookmarked(object, asked);
  const ends = annotations[INITIAL_EVENTS_END] === 'true';
  return ends ? { type: 'BOOKMARK', resourceVersion, initialEventsEnd: true } : { type: 'BOOKMARK', resourceVersion };
}

function ended(status: unknown): WatchEvent<never> {
  const { code, message } = isMap(status) ? status : {};
  const said = typeof message === 'string' ? message : 'the server ended the watch';
  return { type: 'ERROR', code: typeof code === 'number' ? code : 0, message: said };
}

function eventOf<T extends KubeObject>(line: string, origin: WatchOrigin): WatchEvent<T> | undefined {
  // Answers with limits are kept short by them.
  const { type, object } = (origin.most === undefined ? parseHolding(line, 2) : parseServed(line)) as WireEvent;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: typed<T>(origin.type, object, origin) };
    case 'BOOKMARK':
      return bookmark(object, origin);
    case 'ERROR':
      return ended(object);
    default:
      return undefined;
  }
}

/** The code of undici's error for a body of which nothing came for `bodyTimeout`. */
const BODY_TIMEOUT = 'UND_ERR_BODY_TIMEOUT';

/** True for what `decodeWatch` throws when the stream said nothing for as long as it may be silent. */
export function isSilence(error: unknown): boolean {
  const cause = error instanceof TransientError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === BODY_TIMEOUT;
}

/**
 * Events of a watch body (one JSON document a line). Ends when the server ends the stream.
 * Errors: CancelledError (signal), TransientError (connection lost, bytes that are no JSON; `AnswerTooLong`).
 */
export async function* decodeWatch<T extends KubeObject>(
  body: AsyncIterable<Buffer>,
  origin: WatchOrigin,
): AsyncIterable<WatchEvent<T>> {
  const { attempt, signal, most, share } = origin;
  const count = counter(origin);
  try {
    for await (const line of linesOf(body, most, share)) {
      const event = line === '' ? undefined : eventOf<T>(line, origin);
      count(event);
      if (event !== undefined) yield event;
    }
  } catch (error: unknown) {
    if (signal?.aborted === true) throw new CancelledError(`${attempt}: cancelled`, { cause: error });
    if (error instanceof TransientError) throw error;
    throw new TransientError(`${attempt}: the stream broke`, { cause: error });
  }
}
