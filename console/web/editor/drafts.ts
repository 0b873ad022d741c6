import type { ApplicationDetail } from '#console/server/model/application-detail.js';

/** What somebody typed, and what it was before. */
export interface Draft {
  readonly user: string;
  readonly initial: string;
  readonly text: string;
  /** The live object that it changes; undefined for a new one. */
  readonly base: ApplicationDetail | undefined;
}

/**
 * By what is edited, until the page is loaded again: who leaves an editor, or has to sign in again, finds it as it was.
 * It is kept in memory only, as values may hold secrets, and for its own user only.
 */
const DRAFTS = new Map<string, Draft>();
/** The oldest one goes first. */
const MOST = 5;

export function draftOf(key: string, user: string): Draft | undefined {
  const draft = DRAFTS.get(key);
  if (draft === undefined || draft.user === user) return draft;
  DRAFTS.clear();
  return undefined;
}

export function keepDraft(key: string, draft: Draft): void {
  DRAFTS.delete(key);
  DRAFTS.set(key, draft);
  const [oldest = ''] = DRAFTS.keys();
  if (DRAFTS.size > MOST) DRAFTS.delete(oldest);
}

export function dropDraft(key: string): void {
  DRAFTS.delete(key);
}
