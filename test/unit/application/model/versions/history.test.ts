import { expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import { LOCK_ANNOTATION } from '#api/v1alpha1/labels.js';
import { historyWithVersions, readVersions } from '#controllers/application/model/spec/resolved-versions.js';
import { planHistory } from '#controllers/application/model/spec/history.js';
import { range, ranged } from './builders.js';

const NONE = { used: new Set<number>(), pinned: new Set<number>() };
const plan = planHistory(ranged('6.7.1'), { spec: { config: {} }, templates: {} }, [], NONE);
const AT_7 = { status: { history: { revision: 7 } } };
const known = { reference: range('6.x'), resolved: '6.7.1', available: undefined, problem: undefined };

it('records in a new revision what ranges mean', () => {
  const { create } = historyWithVersions(plan, AT_7, [known]);
  const text = create?.metadata.annotations?.[LOCK_ANNOTATION];
  expect([...readVersions(text).values()]).toEqual(['6.7.1']);
  expect(create?.metadata.annotations).toMatchObject({ ...plan.create?.metadata.annotations });
});

it('changes no other revision', () => {
  expect(historyWithVersions(plan, AT_7)).toBe(plan);
  const kept = omit(plan, 'create');
  expect(historyWithVersions(kept, AT_7, [known])).toBe(kept);
});

it('makes and removes no revision before all ranges mean something', () => {
  const removing = { ...plan, remove: [{ apiVersion: '', kind: '', metadata: { name: 'old' } }] };
  const unknown = { ...known, resolved: undefined, problem: 'it is gone' };
  expect(historyWithVersions(removing, AT_7, [known, unknown])).toEqual({ current: 7, isKept: false, remove: [] });
  expect(historyWithVersions(removing, {}, [unknown])).toEqual({ current: 0, isKept: false, remove: [] });
});
