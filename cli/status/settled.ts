import type { Application } from '../../api/v1alpha1/application.js';
import { viewOf } from '../../controllers/read-model/application-view.js';

/** True when the status speaks of the newest spec. */
function isCurrent({ metadata, status }: Application): boolean {
  return status?.observedGeneration === metadata.generation;
}

/** True when the status speaks of the newest spec and every destination runs. */
export function isSettled(application: Application): boolean {
  return isCurrent(application) && viewOf(application).state === 'Ready';
}

/** How a wait for `Ready` stands: met by all, out of reach for one, or open. What failed and is retried is open. */
export type Verdict = 'met' | 'stalled' | 'open';

export function verdictOf(applications: readonly Application[]): Verdict {
  if (applications.some((each) => isCurrent(each) && viewOf(each).state === 'Stalled')) return 'stalled';
  return applications.every(isSettled) ? 'met' : 'open';
}
