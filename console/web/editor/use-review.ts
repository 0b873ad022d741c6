import { useState } from 'preact/hooks';
import type { PlainMap } from '#lib/plain.js';
import type { ApplicationDetail } from '#queries/answers/application.js';
import { inOneText, type Problem } from '../data/model/problem.js';
import type { Refused } from './model/refusal.js';
import { useSay } from '../parts/said.js';
import { useSession } from '../session/session.js';
import { useGone } from '../change/use-action.js';
import { send, type Sent, type Target } from './send.js';

export interface Accepted {
  readonly value: PlainMap;
  readonly answer: ApplicationDetail;
  /** What it was before; absent for a new one. */
  readonly base: ApplicationDetail | undefined;
}

/** What was found out about a text before, or as, it was written. */
export interface Review {
  readonly isBusy: boolean;
  /** The value that the API server accepted, as it would store it. */
  readonly accepted: Accepted | undefined;
  readonly refused: Refused | undefined;
  readonly theirs: ApplicationDetail | undefined;
  readonly problem: Problem | undefined;
}

const NOTHING: Review = {
  isBusy: false,
  accepted: undefined,
  refused: undefined,
  theirs: undefined,
  problem: undefined,
};

export interface UseReview extends Review {
  readonly check: (value: PlainMap) => Promise<void>;
  /** True: it was written. What came of it is told where nothing shows it any more. */
  readonly write: () => Promise<boolean>;
  readonly forget: () => void;
}

function lateWords(sent: Sent): string {
  if ('answer' in sent) return 'the changes were saved.';
  if ('theirs' in sent) return 'the changes were not saved, as somebody changed it meanwhile.';
  // A server that did not answer may have saved them.
  return 'refused' in sent ? `the changes were not saved: ${sent.refused.text}` : inOneText(sent.problem);
}

/** One question at a time: who clicks twice asks once. */
export function useReview(target: (value: PlainMap) => Target): UseReview {
  const { end } = useSession();
  const say = useSay();
  const isGone = useGone();
  const [review, set] = useState(NOTHING);
  const settle = (sent: Sent, value: PlainMap, { base }: Target): boolean => {
    if ('answer' in sent) set({ ...NOTHING, accepted: { value, answer: sent.answer, base } });
    else if ('theirs' in sent) set({ ...NOTHING, theirs: sent.theirs });
    else if ('refused' in sent) set({ ...NOTHING, refused: sent.refused });
    else {
      set({ ...NOTHING, problem: sent.problem });
      if (sent.problem.kind === 'login') end(sent.problem);
    }
    return 'answer' in sent;
  };
  const ask = async (value: PlainMap, dryRun: boolean): Promise<boolean> => {
    if (review.isBusy) return false;
    set({ ...review, isBusy: true });
    const place = target(value);
    const sent = await send(place, value, dryRun);
    if (isGone.current && !dryRun) say(`${place.namespace}/${place.name}: ${lateWords(sent)}`);
    return settle(sent, value, place);
  };
  const check = async (value: PlainMap): Promise<void> => {
    await ask(value, true);
  };
  const write = async (): Promise<boolean> =>
    review.accepted === undefined ? false : ask(review.accepted.value, false);
  return { ...review, check, write, forget: () => set(NOTHING) };
}
