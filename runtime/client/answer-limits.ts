import { TransientError } from '#lib/errors.js';
import { FairSum, type Share } from '#lib/fair-sum.js';

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
  /** The sum for answers that are being read, and lists that are not complete; absent: any number of bytes. */
  readonly inAll?: { readonly sum: FairSum; readonly tenant: string };
}

const MEBIBYTE = 1024 * 1024;

/** For members. No Kubernetes object or cluster needs more, and each answer is parsed in less than a second. */
const MEMBER_LIMITS: AnswerLimits = {
  object: { bytes: 4 * MEBIBYTE, marks: 400_000 },
  page: { bytes: 16 * MEBIBYTE, marks: 1_000_000 },
  list: { pages: 200, objects: 50_000, bytes: 128 * MEBIBYTE },
  discovery: { groupVersions: 2_000, kinds: 20_000, bytes: 16 * MEBIBYTE },
};

/** All members, of all tenants. */
const ANSWERS = new FairSum(256 * MEBIBYTE);

/** The limits of a member, with the sum of all members. `tenant`: the namespace whose member it is. */
export function memberLimits(tenant: string): AnswerLimits {
  return { ...MEMBER_LIMITS, inAll: { sum: ANSWERS, tenant } };
}

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

function wayOutOf({ source }: Answering): string {
  return source === undefined ? '' : `; ${source} names this server: correct it, or remove there what is too much`;
}

/** The error for an answer that exceeds a limit. `what`: e.g. `more than 5 bytes`. */
export function answerTooLong(answering: Answering, what: string, wayOut = wayOutOf(answering)): TransientError {
  const { attempt, server = 'the server' } = answering;
  const said = `answered with ${what}`;
  return new TransientError(`${attempt}: ${server} ${said}${wayOut}`, {
    reason: 'AnswerTooLong',
    retryAfterMs: TOO_MUCH_RETRY_MS,
    publicMessage: `${attempt}: the API server ${said}`,
  });
}

const NOTHING: Share = { grow: () => undefined, end: () => undefined };

/**
 * The part of the sum that the answers to one request or list have. `free` drops what was read, once that is too
 * much; `grow` throws the same TransientError `AnswerTooLong` from then on.
 */
export function answersHeld(
  answering: Answering,
  { inAll }: Partial<AnswerLimits>,
  free: (error: Error) => void,
): Share {
  if (inAll === undefined) return NOTHING;
  const { sum, tenant } = inAll;
  let error: TransientError | undefined;
  const share = sum.share(tenant, () => {
    const what = `more than can be held together with other answers for namespace ${tenant}`;
    error = answerTooLong(answering, what, '; it is read again in a minute');
    free(error);
  });
  return {
    end: () => share.end(),
    grow: (bytes) => {
      share.grow(bytes);
      if (error !== undefined) throw error;
    },
  };
}
