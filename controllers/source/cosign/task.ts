import type { SignatureQuestion } from './model/signatures.js';
import { jsonTask } from '#engine/flux/json-task.js';

/**
 * @public Called by its name. Why none of the signatures will do; undefined when one does. Strangers write signatures,
 * users keys and patterns.
 */
export const signatureProblemsTask = jsonTask<SignatureQuestion, readonly string[] | undefined>(
  { module: import.meta.url, name: 'signatureProblemsTask', deadlineMs: 10_000 },
  // Loaded where it is used: by few processes, and never by their main thread.
  async (question) => (await import('./model/signatures.js')).signatureProblems(question),
  ({ message }) => [`verifying them ${message}`],
);
