import { expect, test } from '@jest/globals';
import { deletesObjects } from '#controllers/kustomization/finalize.js';
import { kustomization } from './model/builders.js';

const KEEPS = { inventory: { entries: [{ id: 'a_b__ConfigMap', v: 'v1' }] } };

test.each([
  [{}, KEEPS, true],
  [{ prune: false }, KEEPS, false],
  [{ prune: false, deletionPolicy: 'Delete' as const }, KEEPS, true],
  [{ prune: false, deletionPolicy: 'WaitForTermination' as const }, KEEPS, true],
  [{ deletionPolicy: 'Orphan' as const }, KEEPS, false],
  [{ suspend: true, deletionPolicy: 'Delete' as const }, KEEPS, false],
  [{}, {}, false],
])('%j with %j deletes its objects: %s', (spec, status, expected) => {
  expect(deletesObjects(kustomization(spec, status))).toBe(expected);
});
