import { expect, test } from '@jest/globals';
import { syncRequest } from '#queries/views/requests.js';
import { application, deploy } from '../../application/model/builders.js';

const AT = 'reconcile.fluxcd.io/';
const web = application([deploy('prod')]);

test.each<[string, object, string[]]>([
  ['reconciles', {}, ['requestedAt']],
  ['forces', { force: true }, ['requestedAt', 'forceAt']],
  ['counts from zero', { reset: true }, ['requestedAt', 'resetAt']],
])('a sync %s, with one time for all', (_, how, names) => {
  const annotations = Object.fromEntries(names.map((name) => [AT + name, 'now']));
  expect(syncRequest({ application: web, at: 'now', ...how })).toEqual({ annotations, done: expect.any(String) });
});
