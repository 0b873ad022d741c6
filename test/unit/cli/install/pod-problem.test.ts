import { expect, it } from '@jest/globals';
import { podProblem, type Pod } from '#cli/install/pod-problem.js';

function condition(type: string, status: 'True' | 'False', message = '') {
  return { type, status, reason: 'R', message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

const ROWS: readonly (readonly [string, Pod['status'], string | undefined])[] = [
  ['no status yet', undefined, undefined],
  ['ready', { phase: 'Running', conditions: [condition('Ready', 'True')] }, undefined],
  ['running, not ready', { phase: 'Running', conditions: [condition('Ready', 'False')] }, 'runs, but is not ready'],
  [
    'no node for it',
    { phase: 'Pending', conditions: [condition('PodScheduled', 'False', '0/3 nodes\u202eare available')] },
    'was not scheduled: 0/3 nodes are available',
  ],
  [
    'starting',
    { phase: 'Pending', containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ContainerCreating' } } }] },
    undefined,
  ],
  [
    'an image that does not exist',
    {
      phase: 'Pending',
      containerStatuses: [
        { name: 'c', state: { waiting: { reason: 'ErrImagePull', message: 'not\n\u001b[2Jfound' } } },
      ],
    },
    'container c: ErrImagePull: not [2Jfound',
  ],
  [
    'a crash',
    {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'c',
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
          lastState: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ],
    },
    'container c: CrashLoopBackOff: exited with 1 (Error)',
  ],
  [
    'an init container comes first',
    {
      initContainerStatuses: [{ name: 'i', state: { waiting: { reason: 'ImagePullBackOff' } } }],
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'PodInitializing' } } }],
    },
    'container i: ImagePullBackOff',
  ],
];

it.each(ROWS)('%s', (_, status, expected) => {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    ...(status === undefined ? {} : { status }),
  };
  expect(podProblem(pod)).toBe(expected);
});
