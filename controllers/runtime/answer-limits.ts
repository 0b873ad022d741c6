import { TransientError } from './pure/errors.js';

/** Most bytes of one answer, and most commas, brackets and digits: see `isDenserThan`. */
export interface AnswerSize {
  readonly bytes: number;
  readonly marks: number;
}

/** What a server may answer that anybody may name: one by one, and in all. */
export interface AnswerLimits {
  /** One object, one event of a watch, or one page of metadata. */
  readonly object: AnswerSize;
  /** One page of whole objects, and what is read by its path. */
  readonly page: AnswerSize;
  /** All pages of a list, or all events of one watch; `bytes` are those of memory, see `parsedBytes`. */
  readonly list: { readonly pages: number; readonly objects: number; readonly bytes: number };
  /** All that one look at what the server serves reads. */
  readonly discovery: { readonly groupVersions: number; readonly kinds: number; readonly bytes: number };
}

const MEBIBYTE = 1024 * 1024;

/** For members: no object is larger, no cluster serves more, and all of it is read in less than a second. */
export const MEMBER_LIMITS: AnswerLimits = {
  object: { bytes: 4 * MEBIBYTE, marks: 400_000 },
  page: { bytes: 16 * MEBIBYTE, marks: 1_000_000 },
  list: { pages: 200, objects: 50_000, bytes: 128 * MEBIBYTE },
  discovery: { groupVersions: 2_000, kinds: 20_000, bytes: 16 * MEBIBYTE },
};

/** Too much is not sent again at once. */
const TOO_MUCH_RETRY_MS = 60_000;

/** Who answered what, for messages. */
export interface Answering {
  readonly attempt: string;
  /** URL of the server. */
  readonly server?: string | undefined;
  /** Where its credential comes from. */
  readonly source?: string | undefined;
}

/** The error of an answer that is too much. `what`: e.g. `more than 5 bytes`. */
export function answerTooLong({ attempt, server = 'the server', source }: Answering, what: string): TransientError {
  const said = `answered with ${what}`;
  const wayOut =
    source === undefined ? '' : `; ${source} names this server: correct it, or remove there what is too much`;
  return new TransientError(`${attempt}: ${server} ${said}${wayOut}`, {
    reason: 'AnswerTooLong',
    retryAfterMs: TOO_MUCH_RETRY_MS,
    publicMessage: `${attempt}: the API server ${said}`,
  });
}
