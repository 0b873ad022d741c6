import type { DestinationState } from '#api/v1alpha1/conditions.js';
import type { Row, Rows } from './rows.js';

/** Argo CD's health states, from the best to the worst; the console filters by them. Missing: never rolled out. */
const HEALTH = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type Health = (typeof HEALTH)[number];

/** Argo CD's sync states, from the best to the worst. */
const SYNC = ['Synced', 'Unknown', 'OutOfSync'] as const;
export type Sync = (typeof SYNC)[number];

/**
 * A drifted destination is healthy, but out of sync; of a suspended or unmanaged one the sync state is unknown. Nothing
 * more is expected of an unmanaged one.
 */
const WORDS: Readonly<Record<DestinationState, readonly [Health, Sync]>> = {
  Deleting: ['Progressing', 'OutOfSync'],
  Suspended: ['Suspended', 'Unknown'],
  Unmanaged: ['Healthy', 'Unknown'],
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

function wordsOf(rows: readonly Row[]): (readonly [Health, Sync])[] {
  return rows.map(({ state }) => WORDS[state]);
}

/**
 * The worst health of the wanted destinations; if none is wanted, of those that remain; Missing without any. Never
 * throws.
 */
export function healthOf({ wanted, unwanted }: Rows): Health {
  const words = wordsOf(wanted.length > 0 ? wanted : unwanted).map(([health]) => health);
  return worst(HEALTH, words) ?? 'Missing';
}

/**
 * Whether the wanted destinations run what the Application specifies: the worst of them; OutOfSync without any. Never
 * throws.
 */
export function syncOf({ wanted }: Rows): Sync {
  const words = wordsOf(wanted).map(([, sync]) => sync);
  return worst(SYNC, words) ?? 'OutOfSync';
}
