import type { Application } from '#api/v1alpha1/application.js';
import { HEALTH_LABEL, SYNC_LABEL } from '#api/v1alpha1/labels.js';

/** Words of Argo CD, which the labels of Applications have. */
const HEALTH = ['Unknown', 'Progressing', 'Healthy', 'Suspended', 'Degraded', 'Missing'];
const SYNC = ['Unknown', 'Synced', 'OutOfSync'];

export interface Summary {
  readonly total: number;
  readonly healthStatus: Readonly<Record<string, number>>;
  readonly syncStatus: Readonly<Record<string, number>>;
}

/** How many have each word; what is no such word, or missing, is Unknown, so that the counts add up to the total. */
function counted(
  applications: readonly Application[],
  label: string,
  words: readonly string[],
): Record<string, number> {
  const counts = new Map(words.map((word) => [word, 0]));
  for (const { metadata } of applications) {
    const word = metadata.labels?.[label] ?? '';
    const known = counts.has(word) ? word : 'Unknown';
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

export function summaryOf(applications: readonly Application[]): Summary {
  return {
    total: applications.length,
    healthStatus: counted(applications, HEALTH_LABEL, HEALTH),
    syncStatus: counted(applications, SYNC_LABEL, SYNC),
  };
}
