import type { ApplicationDetail } from '#queries/answers/application.js';
import { Drafts } from './model/drafts.js';
import type { UseEntries } from '../templates/model/use-form.js';

/** What somebody typed, and what it was before. */
interface TextDraft {
  readonly initial: string;
  readonly text: string;
  /** The live object that it changes; undefined for a new one. */
  readonly base: ApplicationDetail | undefined;
}

const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

/** The browser asks before a page with drafts is loaded again or closed, wherever in the dashboard that is. */
function watch(): void {
  if (TEXTS.count + ENTRIES.count > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

export const TEXTS: Drafts<TextDraft> = new Drafts(watch);
/** Of the forms of templates, by the path of the template. */
export const ENTRIES: Drafts<UseEntries> = new Drafts(watch);
