import { expect, test } from '@jest/globals';
import { syncRequest } from '#console/shared/sync-request.js';
import { application } from '../../../support/application.js';

const WEB = application('web');
const EMPTY = {
  dryRun: false,
  prune: true,
  revision: '',
  resources: [],
  manifests: null,
  infos: [],
  syncOptions: ['x'],
};

test.each<[string, unknown, boolean]>([
  ['no body', undefined, false],
  ['null', null, false],
  ['an empty form of the console', EMPTY, false],
  ['force as the server of ks-devops reads it', { strategy: { apply: { force: true } } }, true],
  ['force as the console sends it', { syncStrategy: { apply: { force: true } }, applyOnly: false }, true],
  ['force of hooks', { strategy: { hook: { force: true } } }, true],
  ['no force', { syncStrategy: { apply: { force: false } } }, false],
])('a sync with %s', (_, body, isForced) => expect(syncRequest(WEB, body)).toEqual({ isForced }));

test.each<[string, unknown, RegExp]>([
  ['a dry run', { dryRun: true }, /^Flux cannot sync with dryRun$/],
  ['a dry run as text', { dryRun: 'true' }, /dryRun/],
  ['a revision and single objects', { revision: 'v1', resources: [{ name: 'x' }] }, /revision, resources$/],
  ['a list', [], /^invalid application sync request$/],
])('is refused with %s, rather than done otherwise', (_, body, message) => {
  expect(() => syncRequest(WEB, body)).toThrow(message);
});

test('Argo CD is not there yet', () => {
  expect(() => syncRequest({ ...WEB, spec: { argoApp: {} } }, {})).toThrow('web has kind argocd');
});
