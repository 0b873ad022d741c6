import { describe, expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { blamedContainer, causeAmong, podCause, podsOf, refusalOfPods } from '#engine/health/pod-cause.js';
import { parseYaml } from '#lib/yaml/yaml.js';

function object(kind: string, fields: string, apiVersion = 'v1'): Unstructured {
  const rest = parseYaml(fields) as Record<string, unknown> | null;
  return { apiVersion, kind, ...rest, metadata: { name: 'web', ...(rest?.['metadata'] as object) } };
}

function pod(name: string, status: string, metadata = ''): Unstructured {
  return object('Pod', `{ metadata: { name: ${name}, namespace: app, ${metadata} }, status: ${status} }`);
}

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');
const LONG = 'x'.repeat(1_000);

describe('why a pod is not ready', () => {
  test.each([
    [
      'it was not scheduled',
      '{ conditions: [{ type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available" }] }',
      'Unschedulable: 0/1 nodes are available',
    ],
    [
      'its image cannot be pulled',
      '{ containerStatuses: [{ name: main, state: { waiting: { reason: ImagePullBackOff, message: "Back-off pulling image a" } } }] }',
      'container main: ImagePullBackOff: Back-off pulling image a',
    ],
    [
      'it crashes, without the seconds until its next start',
      '{ containerStatuses: [{ name: main, restartCount: 4, state: { waiting: { reason: CrashLoopBackOff, message: back-off 40s } }, lastState: { terminated: { exitCode: 1, reason: Error, message: password } } }] }',
      'container main: restarted after exit code 1',
    ],
    [
      'it crashes, and runs again at the moment',
      '{ containerStatuses: [{ name: main, ready: false, restartCount: 4, state: { running: {} }, lastState: { terminated: { exitCode: 1, reason: Error } } }] }',
      'container main: restarted after exit code 1',
    ],
    [
      'it crashes, and has just ended once more',
      '{ containerStatuses: [{ name: main, ready: false, restartCount: 4, state: { terminated: { exitCode: 1, reason: Error } }, lastState: { terminated: { exitCode: 1 } } }] }',
      'container main: restarted after exit code 1',
    ],
    [
      'it ends again and again, and says that all went well',
      '{ containerStatuses: [{ name: main, ready: false, restartCount: 2, state: { running: {} }, lastState: { terminated: { exitCode: 0, reason: Completed } } }] }',
      'container main: restarted after exit code 0 (Completed)',
    ],
    [
      'nobody knows how it ended',
      '{ containerStatuses: [{ name: main, restartCount: 1, state: { waiting: { reason: CrashLoopBackOff } } }] }',
      'container main: CrashLoopBackOff',
    ],
    [
      'a container crashed before and is ready now, and another one is not',
      '{ containerStatuses: [{ name: a, ready: true, restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } }, { name: b, ready: false, state: { running: { startedAt: now } } }] }',
      'container b is running but not ready',
    ],
    [
      'it was killed for its memory',
      '{ containerStatuses: [{ name: main, state: { terminated: { exitCode: 137, reason: OOMKilled } } }] }',
      'container main: exit code 137 (OOMKilled)',
    ],
    [
      'a container before its own fails',
      '{ initContainerStatuses: [{ name: init, state: { terminated: { exitCode: 2 } } }], containerStatuses: [{ name: main, state: { waiting: { reason: PodInitializing } } }] }',
      'container init: exit code 2',
    ],
    [
      'the second of its containers fails',
      '{ containerStatuses: [{ name: a, ready: true, state: { running: {} } }, { name: b, state: { waiting: { reason: CreateContainerConfigError, message: "secret not found" } } }] }',
      'container b: CreateContainerConfigError: secret not found',
    ],
    [
      'it runs and does not get ready',
      '{ containerStatuses: [{ name: main, ready: false, state: { running: { startedAt: now } } }] }',
      'container main is running but not ready',
    ],
    ['it was evicted', '{ phase: Failed, reason: Evicted, message: "low on memory" }', 'Evicted: low on memory'],
    [
      'the cause fills a page',
      `{ containerStatuses: [{ name: main, state: { waiting: { reason: ErrImagePull, message: ${LONG} } } }] }`,
      `container main: ErrImagePull: ${LONG.slice(0, 170)}…`,
    ],
    [
      'a hook fails, whose command and output are nobody’s business',
      '{ containerStatuses: [{ name: main, state: { waiting: { reason: PostStartHookError, message: "Exec ([sh -c login password]) failed" } } }] }',
      'container main: PostStartHookError',
    ],
    [
      'an old kubelet appends the command to the reason',
      '{ containerStatuses: [{ name: main, state: { waiting: { reason: "PostStartHookError: command sh" } } }] }',
      'container main: PostStartHookError',
    ],
    [
      'its reason would move the cursor of a terminal',
      '{ phase: Failed, reason: Evicted, message: "a\\u001b[2Jb" }',
      'Evicted: a [2Jb',
    ],
    [
      'it starts',
      '{ containerStatuses: [{ name: main, state: { waiting: { reason: ContainerCreating } } }] }',
      undefined,
    ],
    ['it is new', '{}', undefined],
    ['nothing is as expected', '{ conditions: x, containerStatuses: [1, { name: 2, state: [] }] }', undefined],
    [
      'it crashed long before its present run',
      '{ containerStatuses: [{ name: main, ready: false, restartCount: 1, state: { running: { startedAt: "2026-01-01T11:59:00Z" } }, lastState: { terminated: { exitCode: 255, finishedAt: "2026-01-01T11:00:00Z" } } }] }',
      'container main is running but not ready',
    ],
    [
      'it crashed, and runs long since',
      '{ containerStatuses: [{ name: main, ready: false, restartCount: 1, state: { running: { startedAt: "2026-01-01T11:00:00Z" } }, lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T10:59:00Z" } } }] }',
      'container main is running but not ready',
    ],
    [
      'it crashes, and runs again after the longest back-off',
      '{ containerStatuses: [{ name: main, ready: false, restartCount: 9, state: { running: { startedAt: "2026-01-01T11:58:00Z" } }, lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T11:53:00Z" } } }] }',
      'container main: restarted after exit code 1',
    ],
    [
      'a container ended well, and the image of another one cannot be pulled',
      '{ containerStatuses: [{ name: once, ready: false, restartCount: 1, state: { terminated: { exitCode: 0, reason: Completed } }, lastState: { terminated: { exitCode: 1 } } }, { name: main, ready: false, state: { waiting: { reason: ImagePullBackOff, message: none } } }] }',
      'container main: ImagePullBackOff: none',
    ],
    [
      'a container ends well again and again, and another one crashes',
      '{ containerStatuses: [{ name: once, ready: false, restartCount: 2, state: { running: {} }, lastState: { terminated: { exitCode: 0 } } }, { name: main, ready: false, state: { terminated: { exitCode: 2 } } }] }',
      'container main: exit code 2',
    ],
  ])('%s', (_, status, expected) => expect(podCause(pod('web-1', status), NOW_MS)).toBe(expected));
});

describe('the cause among pods', () => {
  const crashing = (code: number): string =>
    `{ containerStatuses: [{ name: main, state: { terminated: { exitCode: ${code} } } }] }`;
  const at = (second: number): string => `creationTimestamp: "2026-01-01T00:00:0${second}Z"`;

  test('is that of the newest one that tells it', () => {
    const pods = [pod('old', crashing(1), at(1)), pod('newest', '{}', at(3)), pod('new', crashing(2), at(2))];
    expect(causeAmong(pods)).toBe('Pod/app/new: container main: exit code 2');
  });

  test.each([
    ['is ready', pod('web', '{ conditions: [{ type: Ready, status: "True" }], reason: Odd }')],
    ['has finished', pod('web', '{ phase: Succeeded, reason: Odd }')],
    ['is being deleted', pod('web', crashing(1), `deletionTimestamp: "2026-01-01T00:00:00Z"`)],
  ])('is none of one that %s', (_, each) => expect(causeAmong([each])).toBeUndefined());
});

test('a workload tells that its pods are refused', () => {
  const conditions = (status: string): string =>
    `{ status: { conditions: [{ type: ReplicaFailure, status: "${status}", reason: FailedCreate, message: exceeded quota }] } }`;
  expect(refusalOfPods(object('Deployment', conditions('True')))).toBe('FailedCreate: exceeded quota');
  expect(refusalOfPods(object('Deployment', conditions('False')))).toBeUndefined();
});

describe('the pods of', () => {
  const selecting = (selector: string): string => `{ spec: { selector: ${selector} } }`;

  test.each<[string, Unstructured, object | undefined]>([
    [
      'a Deployment',
      object('Deployment', selecting('{ matchLabels: { app: web, a.b/c: "1" } }'), 'apps/v1'),
      { labelSelector: 'app=web,a.b/c=1' },
    ],
    ['a pod', object('Pod', '{}'), { fieldSelector: 'metadata.name=web' }],
    ['a Job', object('Job', '{}', 'batch/v1'), { labelSelector: 'job-name=web' }],
    ['a Deployment without labels', object('Deployment', selecting('{}'), 'apps/v1'), undefined],
    [
      'one with expressions',
      object('Deployment', selecting('{ matchLabels: { a: b }, matchExpressions: [{ key: c }] }'), 'apps/v1'),
      undefined,
    ],
    [
      'one with a label that is none',
      object('Deployment', selecting('{ matchLabels: { a: "b,c" } }'), 'apps/v1'),
      undefined,
    ],
    ['something else', object('Widget', selecting('{ matchLabels: { a: b } }'), 'example.com/v1'), undefined],
  ])('%s', (_, workload, expected) => expect(podsOf(workload)).toEqual(expected));
});

describe('the container to blame', () => {
  const CRASH = 'state: { waiting: { reason: CrashLoopBackOff } }, lastState: { terminated: { exitCode: 1 } }';
  test.each([
    [
      'waits for its restart, and prints nothing meanwhile',
      `{ containerStatuses: [{ name: a, ready: true, state: { running: {} } }, { name: b, restartCount: 1, ${CRASH} }] }`,
      { container: 'b', isRestarting: true },
    ],
    [
      'runs again',
      '{ containerStatuses: [{ name: a, restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } }] }',
      { container: 'a', isRestarting: false },
    ],
    [
      'runs before the others',
      `{ initContainerStatuses: [{ name: init, restartCount: 3, ${CRASH} }], containerStatuses: [{ name: a, state: { waiting: { reason: PodInitializing } } }] }`,
      { container: 'init', isRestarting: true },
    ],
    [
      'has just ended for good',
      '{ containerStatuses: [{ name: a, state: { terminated: { exitCode: 0 } } }, { name: b, state: { terminated: { exitCode: 3 } } }] }',
      { container: 'b', isRestarting: false },
    ],
    [
      'cannot start at all',
      '{ containerStatuses: [{ name: a, state: { waiting: { reason: ImagePullBackOff } }, lastState: {} }] }',
      { container: 'a', isRestarting: false },
    ],
    [
      'runs, and does not get ready',
      '{ containerStatuses: [{ name: a, ready: true }, { name: b, ready: false, state: { running: { startedAt: now } } }] }',
      { container: 'b', isRestarting: false },
    ],
    ['is not known: the pod is new', '{}', undefined],
    ['is not known: nothing is as expected', '{ containerStatuses: [1, { name: 2, state: [] }] }', undefined],
  ])('%s', (_, status, expected) => {
    expect(blamedContainer(pod('a', status), NOW_MS)).toEqual(expected);
  });
});
