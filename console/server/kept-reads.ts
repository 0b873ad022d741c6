import type { FastifyInstance } from 'fastify';
import type { UserInfo } from '#api/core.js';
import type { Kube } from '#runtime/client/kube.js';
import { Answers } from './answers.js';
import { Turns } from './turns.js';
import { withinBudget } from './within-budget.js';

interface KeptReadsOptions<Q, T> {
  /** What is read, in words, for who reads too much at once. */
  readonly what: string;
  /** Characters that are kept. */
  readonly most: number;
  /** `own`: with the rights of the user. */
  readonly read: (own: Kube, question: Q, signal: AbortSignal) => Promise<T>;
}

/** Pages poll, and what they read so changes seldom. */
const KEEP_MS = 5_000;
const READS = { perUser: 3, total: 20 };
const READ_MS = 15_000;

/**
 * What users read as themselves: in turns, with as much time and as many bytes as one answer may cost, and asked again
 * after some seconds, once for all pages of a user.
 */
export function keptReads<Q extends { readonly user: UserInfo }, T>(
  app: Pick<FastifyInstance, 'addHook'>,
  kube: Kube,
  { what, most, read }: KeptReadsOptions<Q, T>,
): Answers<Q, T> {
  const turns = new Turns(app, { ...READS, what });
  const ask = (question: Q): Promise<T> =>
    turns.during(question.user, READ_MS, (signal) =>
      withinBudget(kube, question.user, (own) => read(own, question, signal)),
    );
  const weigh = (answer: T): number => JSON.stringify(answer).length;
  return new Answers({ ask, keepMs: KEEP_MS, most, weigh });
}
