import { expect, test } from '@jest/globals';
import { completionOf } from '#engine/flux/model/completion.js';

function job(...conditions: object[]): Parameters<typeof completionOf>[0] {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, status: { conditions } };
}

function pod(status?: object): Parameters<typeof completionOf>[0] {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, ...(status === undefined ? {} : { status }) };
}

test.each([
  ['no status', { ...job(), status: undefined }, { done: false }],
  ['no condition', job(), { done: false }],
  ['a condition that is not true', job({ type: 'Complete', status: 'False' }), { done: false }],
  ['complete', job({ type: 'Complete', status: 'True' }), { done: true }],
  [
    'failed',
    job({ type: 'Failed', status: 'True', message: 'too many pods' }),
    { done: true, failure: 'failed: too many pods' },
  ],
])('a Job with %s', (_name, object, expected) => {
  expect(completionOf(object)).toEqual(expected);
});

test.each([
  ['no status', pod(), { done: false }],
  ['phase Running', pod({ phase: 'Running' }), { done: false }],
  ['phase Succeeded', pod({ phase: 'Succeeded' }), { done: true }],
  ['phase Failed', pod({ phase: 'Failed' }), { done: true, failure: 'failed' }],
])('a Pod with %s', (_name, object, expected) => {
  expect(completionOf(object)).toEqual(expected);
});

test.each([
  ['a ConfigMap', { apiVersion: 'v1', kind: 'ConfigMap' }],
  ['a Job of another API group', { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job' }],
  ['a Pod of another API group', { apiVersion: 'example.com/v1', kind: 'Pod' }],
])('%s is done as soon as it is there', (_name, type) => {
  expect(completionOf({ ...type, metadata: { name: 'x' } })).toEqual({ done: true });
});
