import type { PrintedUpdate } from '#queries/views/overview.js';

/** What made an answer of the one before it. */
export interface Step extends PrintedUpdate {
  /** Tag of the one before. */
  readonly from: string;
}

/** Of the whole answer: a longer update saves too little. */
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
