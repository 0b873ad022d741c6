import { describe, expect, it } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { differences } from '#engine/drift/difference.js';
import { comparedObject, differingObject } from '#queries/members/compared-object.js';

const target = { apiVersion: 'example.com/v1', kind: 'Box', namespace: 'shop', name: 'web' };

function shown(live: object, wanted: object, { kind = 'Box', fields = true } = {}) {
  const of = (rest: object): Unstructured => ({ ...target, kind, metadata: { name: 'web' }, ...rest });
  const [one, other] = [of(live), of(wanted)];
  const difference = { kind: 'different', live: one, dryRun: other, operations: differences(one, other, []) } as const;
  return differingObject({ ...target, kind }, difference, { fields });
}

const secret = (password: string): object => ({ kind: 'Secret', metadata: {}, data: { password } });

describe('an object that differs', () => {
  it('has each field with what is wanted and what is there', () => {
    const { fields } = shown({ spec: { replicas: 3, old: true } }, { spec: { replicas: 1, new: [1] } });
    expect(fields).toEqual([
      { path: '/spec/old', live: 'true' },
      { path: '/spec/replicas', live: '3', wanted: '1' },
      { path: '/spec/new', wanted: '[1]' },
    ]);
  });

  it.each([
    ['a Secret within another object', { spec: { made: secret('one') } }, { spec: { made: secret('two') } }],
    ['a copy that kubectl keeps', annotated('one'), annotated('two')],
    ['a Secret within a list', { items: [secret('one')] }, { items: [secret('two')] }],
  ])('shows no value of %s', (_, live, wanted) => {
    const { fields } = shown(live, wanted);
    expect(fields).toEqual([{ path: expect.any(String) }]);
    expect(JSON.stringify(fields)).not.toMatch(/one|two/);
  });

  it('shows what a Secret within a new value has of names only', () => {
    expect(shown({}, { spec: { made: secret('one') } }).fields).toEqual([
      { path: '/spec', wanted: '{"made":{"kind":"Secret","metadata":{},"data":{"password":"*****"}}}' },
    ]);
  });

  it('of kind Secret shows no value, whatever its group is', () => {
    const { fields } = shown({ data: { a: 'one' } }, { data: { a: 'two' }, spec: 'three' }, { kind: 'Secret' });
    expect(JSON.stringify(fields)).not.toMatch(/one|two|three/);
  });

  it('counts fields that there is no room for', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]));
    expect(shown({ spec: {} }, { spec: many })).toMatchObject({ fields: { length: 20 }, moreFields: 1_000 });
    expect(shown({ spec: 1 }, { spec: 2 }, { fields: false })).toMatchObject({ fields: [], moreFields: 1 });
  });
});

it('an object has short texts, whatever a tenant stored', () => {
  const odd = { ...target, name: 7, namespace: { a: 1 } } as unknown as typeof target; // what no API server stores
  expect(comparedObject(odd, 'unreadable', { message: 'x'.repeat(10_000) })).toMatchObject({
    ...{ name: '', namespace: '', message: expect.stringMatching(/^x{499}…$/) },
  });
});

function annotated(value: string): object {
  return { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value } } };
}
