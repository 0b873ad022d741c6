import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { ACTIONS, requestedBy, saidIn, type Action } from '#console/shared/action.js';
import { application } from '../../../support/application.js';

const action = (path: string): Action => ACTIONS.find((each) => each.path === path)!;
const spec = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
const web = { ...application('web'), spec } as Application;

test('each action has a path of its own', () => {
  expect(new Set(ACTIONS.map(({ path }) => path)).size).toBe(ACTIONS.length);
});

test.each<[string, unknown, object]>([
  ['sync', undefined, {}],
  ['sync', null, {}],
  ['sync', { force: false }, { force: false }],
  ['rollback', { revision: 3, cluster: 'eu' }, { revision: 3, cluster: 'eu' }],
  ['rollback', { cluster: 'ns/eu' }, { cluster: 'ns/eu' }],
])('%s reads %o', (path, body, said) => {
  expect(saidIn(body, action(path))).toEqual(said);
});

test.each<[string, unknown, RegExp]>([
  ['suspend', { force: true }, /"force" is no field of the body; this action has none/],
  ['sync', JSON.parse('{"__proto__":{}}'), /"__proto__" is no field/],
  ['sync', 'force', /the body is not an object/],
  ['rollback', { revision: 0 }, /revision: it must be a whole number/],
  ['rollback', { revision: 2 ** 60 }, /revision: it must be a whole number/],
  ['rollback', { cluster: 'a,b=1' }, /cluster: it must be the name of a cluster/],
  ['release', { cluster: '' }, /cluster: it must be/],
])('%s refuses %o', (path, body, problem) => {
  expect(() => saidIn(body, action(path))).toThrow(problem);
});

test('what cannot be done is said with the name', () => {
  const input = { application: web, said: {}, kept: [], template: undefined, at: 'now' };
  expect(() => requestedBy(action('release'), input)).toThrow('web: it is not pinned');
  expect(() => requestedBy(action('rollback'), input)).toThrow(/web: it keeps no revisions/);
  const argo = { ...web, spec: { kind: 'argocd' } } as Application;
  expect(() => requestedBy(action('sync'), { ...input, application: argo })).toThrow(/argocd, which is not reconciled/);
  expect(requestedBy(action('sync'), input)).toHaveProperty('annotations');
});
