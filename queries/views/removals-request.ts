import type { Application } from '#api/v1alpha1/application.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { viewOf } from './application-view.js';
import type { Requested } from './rollout-request.js';

/**
 * The annotation that approves the removals that wait, by the value of those that were seen: if others wait by now, they
 * are not approved. Never throws.
 */
export function approveRemovalsRequest(application: Application, seen: string | undefined): Requested {
  const { approval } = viewOf(application);
  if (approval === '') return { refused: 'no removals wait for an approval' };
  if (seen !== approval) {
    return { refused: 'other removals wait than those of this approval: look at what would be removed now' };
  }
  const { held = 0 } = application.status?.removals ?? {};
  const releases = held === 1 ? 'the removal of 1 release is' : `the removals of ${held} releases are`;
  return { annotations: { [APPROVE_REMOVALS_ANNOTATION]: approval }, done: `${releases} approved` };
}
