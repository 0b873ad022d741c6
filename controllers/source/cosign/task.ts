import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import type { SignatureQuestion } from './model/signatures.js';

/** @public Called by its name: takes a SignatureQuestion. Strangers write signatures, users keys and patterns. */
export const signatureProblemsTask: Task = {
  module: import.meta.url,
  name: 'signatureProblemsTask',
  deadlineMs: 10_000,
  run: async (input) => {
    // Loaded where it is used: by few processes, and never by their main thread.
    const { signatureProblems } = await import('./model/signatures.js');
    return JSON.stringify(signatureProblems(JSON.parse(input) as SignatureQuestion) ?? null); // as signatureProblemsAside prints it
  },
};

/** Why none of the signatures will do; undefined when one does. `tenant` is whose question it is. */
export async function signatureProblemsAside(
  offload: Pick<Offload, 'run'>,
  question: SignatureQuestion,
  tenant: string,
): Promise<readonly string[] | undefined> {
  const output = offload.run(signatureProblemsTask, JSON.stringify(question), tenant);
  const problems = await answerOf<readonly string[] | null>(output, ({ message }) => [`verifying them ${message}`]);
  return problems ?? undefined;
}
