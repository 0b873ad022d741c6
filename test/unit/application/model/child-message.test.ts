import { describe, expect, it } from '@jest/globals';
import type { DestinationState } from '#api/v1alpha1/states.js';
import { childMessage } from '#controllers/application/model/children/state.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, reporting, well, work } from './builders.js';

const [made] = applied([], work(application([deploy('prod')])).steps);
const fresh: Child = made!;

/** The child with one condition more. */
function also(child: Child, type: string, status: 'True' | 'False', message: string): Child {
  const more = { type, status, reason: type, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  return { ...child, status: { ...child.status, conditions: [...(child.status?.conditions ?? []), more] } };
}

describe('the words of a child', () => {
  it.each<[DestinationState, string, Child, string]>([
    ['Ready', 'is well', well(fresh), 'InstallSucceeded'],
    ['Pending', 'has not reported', fresh, 'no status reported yet'],
    [
      'Progressing',
      'has no verdict',
      also(reporting(fresh, 'Unknown', 'Progressing'), 'Reconciling', 'True', 'running the upgrade'),
      'running the upgrade',
    ],
    [
      'Failed',
      'failed and is tried again',
      also(reporting(fresh, 'False', 'UpgradeFailed', 'no image'), 'Reconciling', 'True', 'running the upgrade'),
      'no image',
    ],
    [
      'Failed',
      'could not be rolled back either',
      also(reporting(fresh, 'False', 'RollbackFailed', 'no room'), 'Released', 'False', 'no image'),
      'no image; no room',
    ],
  ])('that is %s because it %s are those of the cause', (state, _, child, words) => {
    expect(childMessage(child, state)).toBe(words);
  });
});
