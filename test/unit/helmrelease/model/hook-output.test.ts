import { describe, expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { lastLines, podState, failingContainer, failingPod } from '#controllers/helmrelease/model/hook-output.js';
import { masked } from '#engine/flux/model/masks.js';

function pod(name: string, status: object, minute = 0): Unstructured {
  const creationTimestamp = `2026-01-01T00:0${minute}:00Z`;
  const spec = { containers: [{ name: 'main' }, { name: 'side' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, creationTimestamp }, spec, status };
}

function ended(name: string, exitCode: number): object {
  return { name, state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } } };
}

const CRASHED = {
  name: 'main',
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 2, reason: 'Error' } },
};

describe('the pod whose output is shown', () => {
  test.each<[string, Unstructured[], string | undefined]>([
    ['is none without pods', [], undefined],
    ['is the newest', [pod('old', {}, 1), pod('new', {}, 2)], 'new'],
    ['is one that failed', [pod('failed', { phase: 'Failed' }, 1), pod('again', { phase: 'Running' }, 2)], 'failed'],
    [
      'is the newest that failed',
      [pod('first', { phase: 'Failed' }, 1), pod('second', { phase: 'Failed' }, 2), pod('third', {}, 3)],
      'second',
    ],
  ])('%s', (_name, pods, expected) => {
    expect(failingPod(pods)?.metadata.name).toBe(expected);
  });
});

test.each<[string, object, string, string]>([
  ['that says nothing', {}, 'main', 'no phase'],
  ['that waits', { phase: 'Pending' }, 'main', 'Pending'],
  ['that failed', { phase: 'Failed' }, 'main', 'Failed'],
  [
    'whose side container failed',
    { phase: 'Failed', containerStatuses: [ended('main', 0), ended('side', 3)] },
    'side',
    'Failed, container side: exit code 3 (Error)',
  ],
  [
    'whose init container failed',
    { phase: 'Pending', initContainerStatuses: [ended('setup', 1)], containerStatuses: [{ name: 'main' }] },
    'setup',
    'Pending, container setup: exit code 1 (Error)',
  ],
  [
    'that crashes again and again',
    { phase: 'Running', containerStatuses: [CRASHED] },
    'main',
    'Running, container main: exit code 2 (Error)',
  ],
  [
    'whose image cannot be pulled',
    { phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    'main',
    'Pending, container main: ImagePullBackOff',
  ],
])('a pod %s', (_name, status, container, state) => {
  expect(failingContainer(pod('p', status))).toBe(container);
  expect(podState(pod('p', status))).toBe(state);
});

describe('of an output is shown', () => {
  const numbers = Array.from({ length: 12 }, (_none, index) => `line ${index}`);

  test.each<[string, string, string]>([
    ['nothing when there is none', '', ''],
    ['nothing when it is blank', '\n \n', ''],
    ['all of a short one', 'one\n\n  two\n', 'one\n\n  two'],
    ['the end of many lines', numbers.join('\n'), numbers.slice(2).join('\n')],
    ['the end of a long line', `a${'b'.repeat(900)}`, `…${'b'.repeat(800)}`],
    ['no control characters', '\u001b[31mred\u001b[0m\u0000\r\n\tend', 'red\n\tend'],
  ])('%s', (_name, output, expected) => {
    expect(lastLines(output, (text) => text)).toBe(expected);
  });

  test('nothing of a secret, wherever the output is cut', () => {
    const token = `${'s3cret'.repeat(100)}\n${'token'.repeat(100)}`;
    const lines = lastLines(`\u001b[31m${token}\u001b[0m end`, (text) => masked(text, [token]));
    expect(lines).toBe('***** end');
  });
});
