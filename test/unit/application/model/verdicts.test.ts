import { expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import { isRemoval, type Step, writtenBy } from '#controllers/application/model/child/verdicts.js';
import { application, applied, deploy, work } from './builders.js';

const [live] = applied([], work(application([deploy('prod')])).steps) as [Child];
const { entry, object } = work(application([deploy('prod')]), [live]).wanted[0]!;
const update = { op: 'update', entry, object, live, why: '', isAdoption: false } as const;

it.each<[string, Step, boolean, boolean]>([
  ['a new child', { op: 'create', entry, object, why: '' }, false, false],
  ['an update', update, false, true],
  ['an update that uninstalls first', { ...update, uninstalls: 'it moves' }, true, true],
  ['a child that stays', { op: 'keep', entry, live, why: '' }, false, false],
  ['what is installed once', { op: 'unmanage', entry, live, why: '' }, false, true],
  ['a deletion', { op: 'delete', live, why: '' }, true, true],
  ['a suspension before a deletion', { op: 'suspend', live, why: '' }, true, false],
  ['what is left alone', { op: 'spare', live, why: '' }, false, false],
])('%s', (_, step, removes, writes) => {
  expect(isRemoval(step)).toBe(removes);
  expect(writtenBy([step]).has(live)).toBe(writes);
});
