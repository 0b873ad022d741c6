import { TransientError } from '#lib/errors.js';

/** Most bytes of one answer, and most commas, brackets and digits: see `isDenserThan`. */
export interface AnswerSize {
  readonly bytes: number;
  readonly marks: number;
}

/** Limits on the answers of a server that any tenant may name: for single answers, and for sums of them. */
export interface AnswerLimits {
  /** One object, one event of a watch, or one page of metadata. */
  readonly object: AnswerSize;
  /** One page of whole objects, or one answer that is read by its path. */
  readonly page: AnswerSize;
  /** All pages of a list, or all events of one watch. `bytes` counts memory, see `parsedBytes`. */
  readonly list: { readonly pages: number; readonly objects: number; readonly bytes: number };
  /** All answers of one discovery. */
  readonly discovery: { readonly groupVersions: number; readonly kinds: number; readonly bytes: number };
}

const MEBIBYTE = 1024 * 1024;

/** For members. No Kubernetes object or cluster needs more, and each answer is parsed in less than a second. */
export const MEMBER_LIMITS: AnswerLimits = {
  object: { bytes: 4 * MEBIBYTE, marks: 400_000 },
  page: { bytes: 16 * MEBIBYTE, marks: 1_000_000 },
  list: { pages: 200, objects: 50_000, bytes: 128 * MEBIBYTE },
  discovery: { groupVersions: 2_000, kinds: 20_000, bytes: 16 * MEBIBYTE },
};

/** An answer that was too long is not requested again at once. */
const TOO_MUCH_RETRY_MS = 60_000;

/** The request and the server that answered it, for messages. */
export interface Answering {
  readonly attempt: string;
  /** URL of the server. */
  readonly server?: string | undefined;
  /** Names the object with the credential. */
  readonly source?: string | undefined;
}

/** The error for an answer that exceeds a limit. `what`: e.g. `more than 5 bytes`. */
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
