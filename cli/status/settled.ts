import type { Application } from '#api/v1alpha1/application.js';
import { isCurrent, viewOf } from '#queries/views/application-view.js';

/** True when every destination runs the newest spec. */
export function isSettled(application: Application): boolean {
  return viewOf(application).state === 'Ready';
}

/** How a wait for `Ready` stands: met by all, out of reach for one, or open. What failed and is retried is open. */
export type Verdict = 'met' | 'stalled' | 'open';

export function verdictOf(applications: readonly Application[]): Verdict {
  if (applications.some((each) => isCurrent(each) && viewOf(each).state === 'Stalled')) return 'stalled';
  return applications.every(isSettled) ? 'met' : 'open';
}
