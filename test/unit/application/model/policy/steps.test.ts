import { expect, it } from '@jest/globals';
import type { Verdict } from '#controllers/application/model/child/verdicts.js';
import { removalFor } from '#controllers/application/model/policy/steps.js';
import { application, applied, deploy, work } from '../builders.js';

it.each<[string, Verdict | undefined, object]>([
  ['is deleted', { do: 'delete', why: 'x' }, { op: 'delete', why: 'x' }],
  ['is suspended', { do: 'suspend', why: 'x' }, { op: 'suspend', why: 'x' }],
  ['stays until something is over', { do: 'keep', why: 'x', hold: 'Removal' }, { op: 'spare', hold: 'Removal' }],
  ['stays if nothing else is known', undefined, { op: 'spare', why: 'no rule applies to it' }],
  ['stays if it would be created', { do: 'create', why: 'x' }, { op: 'spare' }],
  ['stays if it is rejected', { reject: { reason: 'InvalidName', message: 'x' } }, { op: 'spare' }],
])('a child without an entry %s', (_title, verdict, step) => {
  const [live] = applied([], work(application([deploy('prod', 'eu')])).steps);
  expect(removalFor(live!, verdict)).toMatchObject({ ...step, live });
});
