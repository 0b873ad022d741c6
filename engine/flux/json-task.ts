import { answerOf, type Offload, type OverrunError, type Task } from '#runtime/isolation/offload.js';

/** A task whose questions and answers are JSON. */
interface JsonTask<Question, Answer> extends Task {
  /** Asks in a child process; `tenant` is whose question it is. */
  readonly ask: (offload: Pick<Offload, 'run'>, question: Question, tenant: string) => Promise<Answer>;
}

/**
 * A task that is asked with its types: what it is handed and what it answers are copies. `afterOverrun`: the answer to a
 * question that took too long or too much memory, unless it throws.
 */
export function jsonTask<Question, Answer>(
  place: Pick<Task, 'module' | 'name' | 'deadlineMs'>,
  answer: (question: Question) => Answer | Promise<Answer>,
  afterOverrun: (error: OverrunError, question: Question) => Answer,
): JsonTask<Question, Answer> {
  const task: Task = {
    ...place,
    // Undefined is no JSON.
    run: async (input) => JSON.stringify((await answer(JSON.parse(input) as Question)) ?? null), // as ask prints it
  };
  return {
    ...task,
    ask: async (offload, question, tenant) => {
      const output = offload.run(task, JSON.stringify(question), tenant);
      const answered = await answerOf<Answer | null>(output, (error) => afterOverrun(error, question));
      return (answered ?? undefined) as Answer; // null stands for undefined
    },
  };
}
