import { expect, test } from '@jest/globals';
import { readRequests } from '#engine/flux/model/requests.js';
import { helmRelease } from '../../../helmrelease/model/builders.js';

const GROUP = 'reconcile.fluxcd.io';

function requests(annotations: Record<string, string>, status = {}): ReturnType<typeof readRequests> {
  return readRequests(helmRelease({}, { metadata: { name: 'web', namespace: 'shop', annotations }, status }));
}

test.each([
  ['counts with the same requestedAt', { requestedAt: 'now', forceAt: 'now' }, {}, true],
  ['does not count alone', { forceAt: 'now' }, {}, false],
  ['does not count with another requestedAt', { requestedAt: 'now', forceAt: 'then' }, {}, false],
  ['does not count twice', { requestedAt: 'now', forceAt: 'now' }, { lastHandledForceAt: 'now' }, false],
])('forceAt %s', (_name, values, status, expected) => {
  const annotations = Object.fromEntries(Object.entries(values).map(([key, value]) => [`${GROUP}/${key}`, value]));
  expect(requests(annotations, status).force).toBe(expected);
});

test('resetAt counts like forceAt', () => {
  expect(requests({ [`${GROUP}/requestedAt`]: 'now', [`${GROUP}/resetAt`]: 'now' }).reset).toBe(true);
});

test('what was seen is recorded, acted upon or not', () => {
  expect(requests({ [`${GROUP}/requestedAt`]: 'a', [`${GROUP}/forceAt`]: 'b' }).handled).toEqual({
    lastHandledReconcileAt: 'a',
    lastHandledForceAt: 'b',
  });
});
