import type { Application } from '#api/v1alpha1/application.js';
import { LOCK_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { HistoryPlan } from '../revisions/history.js';
import { lockOf, type Choice } from './choose-lock.js';
import { printLock } from './lock.js';

/**
 * The history of an Application with its lock in the revision that is created. What has no lock yet is no revision, and
 * removes none: the one before it is still the current one, 0 if there was none.
 */
export function lockedHistory(
  plan: HistoryPlan,
  { status }: Pick<Application, 'status'>,
  choices: readonly Choice[] = [],
): HistoryPlan {
  const { create } = plan;
  const lock = lockOf(choices);
  // The next number would be another one each time.
  if (lock === undefined) return { current: status?.history?.revision ?? 0, isKept: false, remove: [] };
  if (create === undefined || lock.size === 0) return plan;
  const annotations = { ...create.metadata.annotations, [LOCK_ANNOTATION]: printLock(lock) };
  return { ...plan, create: { ...create, metadata: { ...create.metadata, annotations } } };
}
