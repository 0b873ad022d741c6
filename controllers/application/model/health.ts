import type { DestinationState } from '#api/v1alpha1/conditions.js';
import type { Row } from './rows.js';

/** Argo CD's words, which the console filters by, from the best to the worst; Missing: nothing was ever rolled out. */
const HEALTH = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type Health = (typeof HEALTH)[number];

/** Argo CD's words, from the best to the worst. */
const SYNC = ['Synced', 'Unknown', 'OutOfSync'] as const;
export type Sync = (typeof SYNC)[number];

/** A destination that drifted runs, though not what it should; of one that is suspended nobody can tell. */
const WORDS: Readonly<Record<DestinationState, readonly [Health, Sync]>> = {
  Deleting: ['Progressing', 'OutOfSync'],
  Suspended: ['Suspended', 'Unknown'],
  Unreachable: ['Unknown', 'Unknown'],
  Stalled: ['Degraded', 'OutOfSync'],
  Failed: ['Degraded', 'OutOfSync'],
  Drifted: ['Healthy', 'OutOfSync'],
  Progressing: ['Progressing', 'OutOfSync'],
  Pending: ['Progressing', 'OutOfSync'],
  Ready: ['Healthy', 'Synced'],
};

function worst<Word extends string>(order: readonly Word[], words: readonly Word[]): Word | undefined {
  return order[Math.max(...words.map((word) => order.indexOf(word)))];
}

/** The words of the wanted destinations. */
function wordsOf(rows: readonly Row[]): (readonly [Health, Sync])[] {
  return rows.filter(({ wanted }) => wanted).map(({ state }) => WORDS[state]);
}

/**
 * How the wanted destinations fare, summed up by the worst of them; while none is wanted, as those that are left as
 * they are; Missing without any. Never throws.
 */
export function healthOf(rows: readonly Row[]): Health {
  const left = rows.every(({ wanted }) => !wanted) ? rows.map(({ state }) => WORDS[state]) : [];
  const words = [...wordsOf(rows), ...left].map(([health]) => health);
  return worst(HEALTH, words) ?? 'Missing';
}

/**
 * Do the wanted destinations run what the Application says? Summed up by the worst of them; OutOfSync without any.
 * Never throws.
 */
export function syncOf(rows: readonly Row[]): Sync {
  const words = wordsOf(rows).map(([, sync]) => sync);
  return worst(SYNC, words) ?? 'OutOfSync';
}
