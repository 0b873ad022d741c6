import { DRY_RUN_NOTE } from '#queries/views/requests.js';

/** A change that the server is asked for. */
export interface Change {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** `dryRun`: it is only checked. */
export function urlOf({ path, query = {} }: Change, dryRun: boolean): string {
  const search = new URLSearchParams({ ...query, ...(dryRun ? { dryRun: 'All' } : {}) }).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** The text with a capital and a full stop; empty if it is. */
export function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What came of a change, or would come of it, as a sentence. */
export function doneWords(done: string): string {
  return sentence(done.endsWith(DRY_RUN_NOTE) ? done.slice(0, -DRY_RUN_NOTE.length) : done);
}
