import { expect, test } from '@jest/globals';
import { draftsOf, factsOfSpec } from '#controllers/application/model/destinations/entries.js';
import type { Application } from '#api/v1alpha1/application.js';
import { findViolation, validate } from '#controllers/application/model/destinations/validate.js';
import { fluxSpecOf } from '#controllers/application/model/spec/flux-spec.js';
import { parseHolding } from '#lib/json/held-fields.js';
import { heldBytes } from '../../../support/heap.js';
import { application, deploy, entriesOf, NO_CLUSTERS, NO_TEMPLATES } from './builders.js';

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

/** Blank texts and older fields, so that its normal form is another one. */
function denseText(name: string): string {
  const values = { b: 1, a: Array.from({ length: 100_000 }, () => ({})) };
  const overrides = [{ clusters: [{ name: 'prod' }], values: { ...values, c: 2 } }];
  const entry = deploy('web', undefined, { values, releaseName: '', timeout: '' });
  const given = application([entry, deploy('shop', undefined, { values, overrides } as object)]);
  return JSON.stringify({ ...given, metadata: { ...given.metadata, name } });
}

test('what is kept of a spec takes no more memory than its text, however dense its values are', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => denseText(`web-${index}`));
  const before = heldBytes();
  const given = texts.map((text) => parseHolding(text, 1) as Application);
  for (const each of given) {
    expect(findViolation(each, RULES)).toBeUndefined();
    expect(validate(each, { templates: NO_TEMPLATES, clusters: NO_CLUSTERS }, RULES)).toHaveProperty('entries');
    expect(fluxSpecOf(each)?.config.helmRelease?.deploy).toHaveLength(2);
    expect(draftsOf(each)[1]?.layer).toMatchObject({ values: { b: 1 }, overrides: [{ values: { c: 2 } }] });
    expect(entriesOf(each)).toHaveLength(2);
  }
  // Only the last one that was parsed is kept.
  await Promise.resolve();
  expect(heldBytes() - before).toBeLessThan(16 * 1024 * 1024);
  expect(given.map((each) => draftsOf(each).length)).toEqual(given.map(() => 2));
});
