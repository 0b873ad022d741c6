import type { Condition } from '#api/meta.js';
import type { DestinationState } from '#api/v1alpha1/conditions.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { currentCondition } from './current-condition.js';
import type { Child } from './types.js';

/** Reasons of Ready=False after a failure was made good: of how that went, not of what had failed. */
const REMEDIATIONS: readonly string[] = [
  'RollbackSucceeded',
  'RollbackFailed',
  'UninstallSucceeded',
  'UninstallFailed',
];

/** The words of Ready; after a remediation, those of the failure that it followed come first. */
function verdictOf(child: Child, ready: Condition): string {
  const released = currentCondition(child, 'Released');
  const isRemediated = ready.status === 'False' && REMEDIATIONS.includes(ready.reason);
  return isRemediated && released?.status === 'False' ? `${released.message}; ${ready.message}` : ready.message;
}

/** What a child says of itself as it is now; words about an older generation would only mislead. */
function reportOf(child: Child): string {
  const ready = currentCondition(child, 'Ready');
  const reconciling = currentCondition(child, 'Reconciling');
  const isOpen = ready === undefined || ready.status === 'Unknown';
  // While there is no result, what is being done right now says more than that something is.
  if (isOpen && reconciling?.status === 'True') return reconciling.message;
  if (ready !== undefined) return verdictOf(child, ready);
  return getCondition(child.status?.conditions, 'Ready') === undefined
    ? 'no status reported yet'
    : 'the engine has not reconciled the last change yet';
}

/** Nobody acts on a suspended child: what it said last stands, whatever it was about. */
function lastReport(child: Child): string {
  const ready = getCondition(child.status?.conditions, 'Ready');
  return ready === undefined ? 'suspended before its first status' : `suspended; last status: ${ready.message}`;
}

/** The words of the condition that the state comes from, where that is not Ready. */
function wordsOf(child: Child, type: string): string {
  const found = currentCondition(child, type);
  return found?.status === 'True' ? found.message : reportOf(child);
}

/** What a child says of itself that explains its state. Reads its conditions. Never throws. */
export function childMessage(child: Child, state: DestinationState): string {
  if (state === 'Suspended') return lastReport(child);
  if (state === 'Drifted') return wordsOf(child, 'Drifted');
  const isDecided = currentCondition(child, 'Ready')?.status === 'False';
  return state === 'Stalled' && !isDecided ? wordsOf(child, 'Stalled') : reportOf(child);
}
