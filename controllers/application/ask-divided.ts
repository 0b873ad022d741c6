/** How often tasks may cost too much in one reconciliation, before the other items are left for the next one. */
const MAX_OVERRUNS = 10;

/** The answers of one task, or why it cost too much. */
export type Answered<Answer> = { readonly answers: readonly Answer[] } | { readonly overrun: string };

export interface Way<Item, Answer> {
  /** Items of one task. */
  readonly atOnce: number;
  /** Answers in the order of the items; `isPart`: another task cost too much before. */
  readonly ask: (items: readonly Item[], isPart: boolean) => Promise<Answered<Answer>>;
  /** Of the item that cost too much. */
  readonly refused: (why: string) => Answer;
  /** Of those that were not asked any more. */
  readonly postponed: Answer;
}

/**
 * Answers for items whose cost their authors decide, in tasks of many. One that costs too much is divided until the item
 * is found, within limits: the others get their answers.
 */
export async function askDivided<Item, Answer>(
  items: readonly Item[],
  { atOnce, ask, refused, postponed }: Way<Item, Answer>,
): Promise<readonly Answer[]> {
  let overruns = 0;
  async function answersOf(part: readonly Item[]): Promise<readonly Answer[]> {
    if (overruns >= MAX_OVERRUNS) return part.map(() => postponed);
    const answered = await ask(part, overruns > 0);
    if ('answers' in answered) return answered.answers;
    overruns += 1;
    if (part.length === 1) return [refused(answered.overrun)];
    const middle = Math.ceil(part.length / 2);
    const first = await answersOf(part.slice(0, middle));
    return [...first, ...(await answersOf(part.slice(middle)))];
  }
  const found: Answer[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    found.push(...(await answersOf(items.slice(start, start + atOnce))));
  return found;
}
