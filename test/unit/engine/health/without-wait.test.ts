import { expect, test } from '@jest/globals';
import { goesByItself, isPaused } from '#engine/health/wait.js';

function object(apiVersion: string, kind: string, spec: object): Parameters<typeof isPaused>[0] {
  return { apiVersion, kind, metadata: { name: 'x' }, spec };
}

test.each<[string, string, object, boolean]>([
  ['batch/v1', 'Job', { ttlSecondsAfterFinished: 0 }, true],
  ['batch/v1', 'Job', { ttlSecondsAfterFinished: 60 }, true],
  ['batch/v1', 'Job', {}, false],
  ['batch/v1', 'CronJob', { ttlSecondsAfterFinished: 0 }, false],
  ['example.com/v1', 'Job', { ttlSecondsAfterFinished: 0 }, false],
])('a %s %s with %j goes by itself: %s', (apiVersion, kind, spec, expected) => {
  expect(goesByItself(object(apiVersion, kind, spec))).toBe(expected);
});

test.each<[string, string, object, boolean]>([
  ['apps/v1', 'Deployment', { paused: true }, true],
  ['apps/v1', 'Deployment', { paused: false }, false],
  ['apps/v1', 'Deployment', {}, false],
  ['apps/v1', 'StatefulSet', { paused: true }, false],
  ['example.com/v1', 'Deployment', { paused: true }, false],
])('a %s %s with %j is paused: %s', (apiVersion, kind, spec, expected) => {
  expect(isPaused(object(apiVersion, kind, spec))).toBe(expected);
});
