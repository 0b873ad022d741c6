import { expect, test } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import { hasBegun } from '#engine/flux/installed.js';

const DELETED = '2026-11-28T10:00:00Z';

function failing(more: Partial<Condition> = {}): Condition {
  const when = { observedGeneration: 3, lastTransitionTime: '2026-11-28T10:00:05Z' };
  return { type: 'Ready', status: 'False', reason: 'ClusterUnreachable', message: 'no answer', ...when, ...more };
}

test.each<[string, boolean, Condition | undefined, string | undefined]>([
  ['failed since the deletion', true, failing(), DELETED],
  ['failed before the deletion as well', true, failing({ lastTransitionTime: '2026-11-20T00:00:00Z' }), DELETED],
  ['was never reported', false, undefined, DELETED],
  ['failed, but the object is not deleted', false, failing(), undefined],
  ['failed before the deletion only', false, failing({ observedGeneration: 2 }), DELETED],
  [
    'failed in a backup, in the same generation',
    false,
    failing({ lastTransitionTime: '2026-11-01T00:00:00Z' }),
    DELETED,
  ],
  ['was well in a backup, in the same generation', false, failing({ status: 'True' }), DELETED],
  ['waits to learn whether it may begin', false, failing({ reason: 'OwnerUnknown' }), DELETED],
  ['ended in a bug, wherever', false, failing({ reason: 'InternalError' }), DELETED],
])('an uninstall that %s: begun %p', (_, begun, condition, deletionTimestamp) => {
  const deleted = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  const creationTimestamp = '2026-11-10T00:00:00Z';
  const metadata = { name: 'web', namespace: 'shop', generation: 3, creationTimestamp, ...deleted };
  const conditions = condition === undefined ? [] : [condition];
  expect(hasBegun({ metadata, status: { conditions } })).toBe(begun);
});
