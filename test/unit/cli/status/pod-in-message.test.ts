import { describe, expect, test } from '@jest/globals';
import { podInMessage } from '#cli/status/look-further.js';

const FOUND = { namespace: 'app', name: 'web-7d4-x2' };

describe('the pod in a message', () => {
  test.each([
    ['no pod', 'timeout waiting for: [Deployment/app/web: InProgress: Available: 0/1]', undefined],
    [
      'a pod that cannot start',
      'Pod/app/web-7d4-x2: container main: ImagePullBackOff: x',
      { ...FOUND, container: undefined, isRestarting: false },
    ],
    [
      'a container that ended',
      'Pod/app/web-7d4-x2: container main: exit code 137 (OOMKilled)',
      { ...FOUND, container: 'main', isRestarting: false },
    ],
    [
      'a container that restarts, after a pod without a node',
      'Pod/b/other: Unschedulable: 0/1, Deployment/app/web: InProgress: x: Pod/app/web-7d4-x2: container main: restarted after exit code 1',
      { ...FOUND, container: 'main', isRestarting: true },
    ],
  ])('%s', (_, message, expected) => expect(podInMessage(message)).toEqual(expected));
});
