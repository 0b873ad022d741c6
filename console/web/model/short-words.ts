import { printJson } from '#lib/json/lossless-json.js';
import type { PlainMap } from '#lib/plain.js';
import { MIB, MOST_STORED_BYTES, SIZE_HELP } from '#queries/views/object-size.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import type { TemplateItem } from '../../shared/template-item.js';

/** The chart or the files that a template deploys, by their titles. */
export function chartText({ kind, chart, version, path }: TemplateItem): Record<string, string> {
  if (kind === 'KustomizationTemplate') return { Path: path === '' ? '.' : path };
  return { Chart: chart, Version: version === '' ? 'newest' : version };
}

/** The namespaces that may use it besides its own. */
export function sharedText({ sharedWith, moreSharedWith }: TemplateItem): string {
  const more = moreSharedWith === 0 ? [] : [`${moreSharedWith} more`];
  return [...sharedWith, ...more].join(', ');
}

/**
 * Why an object may not be stored although the API server accepts it: a dry run asks no etcd. Empty if it is short
 * enough.
 */
export function sizeWords(value: PlainMap): string {
  const bytes = new TextEncoder().encode(printJson(value)).length;
  if (bytes <= MOST_STORED_BYTES) return '';
  // Rounded up: it is never shown as what is allowed.
  return `It has ${Math.ceil((bytes * 100) / MIB) / 100} MiB, and ${SIZE_HELP}.`;
}

/** Tells somebody that his session is over. `other`: who is signed in instead; empty if nobody is. */
export function sessionOverWords(user: string, other: string): string {
  const kept = `What you did as ${user} is kept for that user.`;
  if (other === '') return `You were signed out: sign in again to continue. ${kept}`;
  return `${other} has signed in in another tab. Sign in as ${user} to continue here. ${kept}`;
}

/** Which Applications the count of a state is of. `cluster`: only what they are there counts; empty: anywhere. */
export function countWords(state: string, cluster: string): string {
  if (cluster !== '') return `Applications that are ${state} on ${cluster}`;
  const isGood = meaningOf(state) === 'good';
  return `Applications that are ${state}${isGood ? ', and nowhere worse' : ' as a whole or on a cluster'}`;
}

const MINUTE_MS = 60_000;
/** Milliseconds of each unit, and from how many of the unit before on it is used. */
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];

/** How long ago something was, in the largest unit of which there are two; empty if that is not known (NaN). */
export function ageWords(ms: number): string {
  if (Number.isNaN(ms)) return '';
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['minute', MINUTE_MS];
  const count = Math.floor(ms / unitMs);
  if (count < 1) return 'just now';
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'} ago`;
}
