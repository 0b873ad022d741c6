import { expect, test } from '@jest/globals';
import { draftsOf, factsOfSpec } from '#controllers/application/model/destinations/entries.js';
import { findViolation } from '#controllers/application/model/destinations/validate.js';
import { application, deploy } from './builders.js';

const RULES = { allowCrossNamespace: true };

test('what follows from a spec is computed once, and not for another spec', () => {
  const base = application([deploy('web')]);
  const given = { ...base, spec: { ...base.spec, rollout: { stages: [{ name: 'rest' }] } } };
  expect(findViolation(given, RULES)).toBeUndefined();
  const { rollout } = factsOfSpec(given.spec);
  expect(rollout).toEqual({ problem: undefined });
  expect(findViolation(given, RULES)).toBeUndefined();
  expect(factsOfSpec(given.spec).rollout).toBe(rollout);
  expect(draftsOf(given)).toBe(draftsOf(given));
  expect(factsOfSpec({ ...given.spec })).toEqual({});
});
