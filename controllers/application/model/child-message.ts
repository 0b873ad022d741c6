import type { Condition } from '#api/meta.js';
import type { DestinationState } from '#api/v1alpha1/conditions.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { currentCondition } from './current-condition.js';
import type { Child } from './types.js';

/** Reasons of Ready=False after a remediation, which do not name the failure itself. */
const REMEDIATIONS: readonly string[] = [
  'RollbackSucceeded',
  'RollbackFailed',
  'UninstallSucceeded',
  'UninstallFailed',
];

/** The message of Ready; after a remediation, the message of the failure comes first. */
function verdictOf(child: Child, ready: Condition): string {
  const released = currentCondition(child, 'Released');
  const isRemediated = ready.status === 'False' && REMEDIATIONS.includes(ready.reason);
  return isRemediated && released?.status === 'False' ? `${released.message}; ${ready.message}` : ready.message;
}

/** The message of a child about its current generation. */
function reportOf(child: Child): string {
  const ready = currentCondition(child, 'Ready');
  const reconciling = currentCondition(child, 'Reconciling');
  const isOpen = ready === undefined || ready.status === 'Unknown';
  // While Ready is unknown, Reconciling says more.
  if (isOpen && reconciling?.status === 'True') return reconciling.message;
  if (ready !== undefined) return verdictOf(child, ready);
  return getCondition(child.status?.conditions, 'Ready') === undefined
    ? 'no status reported yet'
    : 'the engine has not reconciled the last change yet';
}

/** The last status of a suspended child, of whichever generation. */
function lastReport(child: Child): string {
  const ready = getCondition(child.status?.conditions, 'Ready');
  return ready === undefined ? 'suspended before its first status' : `suspended; last status: ${ready.message}`;
}

/** The message of the condition that the state comes from, if that is not Ready. */
function wordsOf(child: Child, type: string): string {
  const found = currentCondition(child, type);
  return found?.status === 'True' ? found.message : reportOf(child);
}

/** The message of a child's conditions that explains its state. Never throws. */
export function childMessage(child: Child, state: DestinationState): string {
  if (state === 'Unmanaged') return 'installed once; it is not updated, healed or uninstalled any more';
  if (state === 'Suspended') return lastReport(child);
  if (state === 'Drifted') return wordsOf(child, 'Drifted');
  const isDecided = currentCondition(child, 'Ready')?.status === 'False';
  return state === 'Stalled' && !isDecided ? wordsOf(child, 'Stalled') : reportOf(child);
}
