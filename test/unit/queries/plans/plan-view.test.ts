import { describe, expect, it } from '@jest/globals';
import { plannedChild, problemOf, publishedChildren } from '#queries/plans/plan-view.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, deploy, work } from '../../application/model/builders.js';

const app = application([deploy('shop', 'eu')]);
const [step] = work(app).steps;

function made(): { readonly object: Child; readonly entry: Extract<typeof step, { op: 'create' }> } {
  if (step?.op !== 'create') throw new Error('nothing is created');
  return { object: step.object, entry: step };
}

/** As the API server keeps who wrote it. */
function live(change: (child: Child) => Child, fieldsV1: object): Child {
  const changed = change(made().object);
  const managedFields = [{ manager: 'fairlead', operation: 'Apply', fieldsV1 }];
  return { ...changed, metadata: { ...changed.metadata, managedFields } };
}

describe('a child that is updated', () => {
  const { object, entry } = made();
  const update = (before: Child) =>
    plannedChild({ op: 'update', why: 'x', entry: entry.entry, object, live: before, isAdoption: false });

  it('loses what an apply of it had said, and keeps what is of others or a default', () => {
    const before = live(({ spec, ...rest }) => ({ ...rest, spec: { ...spec, timeout: '3m', maxHistory: 5 } }), {
      'f:spec': { 'f:timeout': {} },
    });
    expect(update(before).fields).toEqual([{ path: '/spec/timeout', old: '3m' }]);
  });

  it('names both values of a field, and not the digest that follows from them', () => {
    const before = live(({ spec, ...rest }) => ({ ...rest, spec: { ...spec, interval: '1m' } }), {});
    expect(update(before)).toMatchObject({
      ...{ action: 'change', cluster: 'eu', namespace: 'shop', name: object.metadata.name },
      fields: [{ path: '/spec/interval', old: '1m', new: object.spec['interval'] }],
    });
  });

  it('lists some of very many fields, and how many others there are', () => {
    const values = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index}`, index]));
    const next = { ...object, spec: { ...object.spec, values } };
    const planned = plannedChild({
      op: 'update',
      why: 'x',
      entry: entry.entry,
      object: next,
      live: object,
      isAdoption: false,
    });
    expect([planned.fields?.length, planned.moreFields]).toEqual([1, undefined]);
    const from = { ...object, spec: { ...object.spec, values: { other: 1 } } };
    const many = plannedChild({
      op: 'update',
      why: 'x',
      entry: entry.entry,
      object: next,
      live: from,
      isAdoption: false,
    });
    expect([many.fields?.length, many.moreFields]).toEqual([500, 100]);
  });
});

it('a child without an entry is deleted, or waits for that', () => {
  const { object } = made();
  const of = { entry: '', cluster: 'eu', release: 'web', kind: 'HelmRelease' };
  const suspended = { ...object, spec: { ...object.spec, suspend: true } };
  const goes = (uninstalls: boolean) => ({ action: 'delete', uninstalls, ...of });
  expect(plannedChild({ op: 'delete', why: 'x', live: object })).toMatchObject(goes(true));
  expect(plannedChild({ op: 'delete', why: 'x', live: suspended })).toMatchObject(goes(false));
  expect(plannedChild({ op: 'suspend', why: 'x', live: object })).toMatchObject(goes(false));
  const waits = (child: Child) => plannedChild({ op: 'spare', why: 'x', live: child, hold: 'Removal' });
  expect(waits(object)).toMatchObject({ action: 'wait', uninstalls: true, ...of });
  expect(waits(suspended)).toMatchObject({ action: 'wait', uninstalls: false, ...of });
  expect(plannedChild({ op: 'spare', why: 'x', live: object })).toMatchObject({ action: 'keep', ...of });
});

it('a child that its rollout keeps for now waits', () => {
  const { object, entry } = made();
  const keep = { op: 'keep', why: 'x', entry: entry.entry, live: object } as const;
  expect(plannedChild({ ...keep, hold: 'Removal' })).toMatchObject({ action: 'wait', cluster: 'eu', why: 'x' });
  expect(plannedChild(keep)).toMatchObject({ action: 'keep' });
});

it('a child that waits says what it becomes then', () => {
  const { object, entry } = made();
  const later = { ...object, spec: { ...object.spec, values: { color: 'purple' } } };
  const of = { why: 'x', entry: entry.entry, live: object } as const;
  const fields = [{ path: '/spec/values', new: { color: 'purple' } }];
  expect(plannedChild({ op: 'keep', hold: 'Stage', ...of, later })).toMatchObject({ action: 'wait', fields });
  expect(plannedChild({ op: 'wait', hold: 'Release', ...of, later })).toMatchObject({ action: 'wait', fields });
  const fresh = plannedChild({ op: 'wait', hold: 'Stage', ...of, live: undefined, later });
  expect(fresh).toMatchObject({ action: 'wait', object: later });
  expect(fresh).not.toHaveProperty('fields');
  expect(plannedChild({ op: 'keep', ...of })).not.toHaveProperty('fields');
});

it('a child that becomes another release later is uninstalled then', () => {
  const { object, entry } = made();
  const later = { ...object, spec: { ...object.spec, releaseName: 'other' } };
  const of = { why: 'x', entry: entry.entry, live: object } as const;
  const held = { op: 'keep', hold: 'Removal', ...of } as const;
  expect(plannedChild({ ...held, later })).toMatchObject({ action: 'wait', uninstalls: true });
  expect(plannedChild({ ...held, later: object })).not.toHaveProperty('uninstalls');
  expect(plannedChild({ op: 'wait', ...of, later })).toMatchObject({ action: 'wait', uninstalls: true });
  expect(plannedChild({ op: 'wait', ...of, live: undefined })).not.toHaveProperty('uninstalls');
  // Until then, it is healed.
  const healed = plannedChild({ op: 'update', ...of, object, isAdoption: false, later });
  expect(healed).toMatchObject({ action: 'change', uninstalls: true });
});

it.each([
  ['spec.a[0].b: it is wrong', 'spec.a[0].b'],
  ['spec.a[0] and spec.a[1] are the same', 'spec.a[0]'],
  ['the template is gone', ''],
])('the problem "%s" is of field "%s"', (message, field) => {
  expect(problemOf(message)).toEqual({ field, message });
});

it('of children that are there, only those are listed of which the engine says something', () => {
  const { object } = made();
  expect(publishedChildren([object])).toEqual([]);
});
