import { createHash } from 'node:crypto';
import { validateValues, type SchemaResult } from '#lib/json/json-schema.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { createLru } from '#lib/lru.js';
import { OverrunError, type Offload, type Task } from './offload.js';

interface Question {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
}

/** Holds values against a schema; `tenant` is whose they are. */
export type CheckSchema = (question: Question, tenant: string) => Promise<SchemaResult>;

const KEPT_BYTES = 4 * 1024 * 1024;

/** @public Called by its name: 2 KB of schema can take years. */
export const schemaCheckTask: Task = {
  module: import.meta.url,
  name: 'schemaCheckTask',
  deadlineMs: 3_000,
  run: (input) => {
    const { schema, values } = parseJson(input) as Question; // as createSchemaCheck prints it
    return printJson(validateValues(schema, values));
  },
};

/** Checks in another thread, each distinct question once as long as its answer is kept. */
export function createSchemaCheck(offload: Pick<Offload, 'run'>): CheckSchema {
  const known = createLru<string>(KEPT_BYTES, ({ length }) => length);
  return async (question, tenant) => {
    const text = printJson(question);
    const digest = createHash('sha256').update(text).digest('base64');
    try {
      const answer = known.get(digest) ?? (await offload.run(schemaCheckTask, text, tenant));
      known.set(digest, answer);
      return parseJson(answer) as SchemaResult; // as the task printed it
    } catch (error: unknown) {
      if (error instanceof OverrunError) return { problem: `validating values ${error.message}` };
      throw error;
    }
  };
}
