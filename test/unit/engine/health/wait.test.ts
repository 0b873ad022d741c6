import { expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { type EndedBy, waitForHealthy } from '#engine/health/wait.js';
import type { Member } from '#engine/member/member.js';
import { SupersededError, TransientError } from '#lib/errors.js';

const DEPLOYMENT: Unstructured = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop', generation: 1 } },
  spec: { replicas: 1 },
};
const HEALTHY = {
  ...{ observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
  conditions: [{ type: 'Available', status: 'True' }],
};

/** A member with one Deployment, which is what `read` says at each look. */
function wait(read: () => Unstructured, endedBy: EndedBy, timeoutMs = 60_000): Promise<string | undefined> {
  const type = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
  const kube = { get: () => Promise.resolve().then(read) };
  const member = { resourceType: () => Promise.resolve(type), kube } as unknown as Member; // no more of it is asked for
  const timing = { timeoutMs, pollMs: 1, signal: new AbortController().signal };
  return waitForHealthy({ member, objects: [DEPLOYMENT], defaultNamespace: 'shop', ...timing, endedBy });
}

test('a wait ends when something else is wanted, at the next look', async () => {
  let looks = 0;
  const read = (): Unstructured => ({ ...DEPLOYMENT, status: {}, looks: (looks += 1) });
  const ended = wait(read, () => (looks === 3 ? 'the spec changed' : undefined));
  await expect(ended).rejects.toThrow(SupersededError);
  await expect(ended).rejects.toThrow('stopped waiting for objects to become ready: the spec changed');
  expect(looks).toBe(3);
});

test('a wait for a cluster that does not answer ends so, too', async () => {
  const read = (): never => {
    throw new TransientError('cannot be reached');
  };
  await expect(wait(read, () => 'the object is suspended')).rejects.toThrow(/: the object is suspended$/);
});

test('whoever ends a wait hears when half of its timeout is over', async () => {
  const heard: boolean[] = [];
  const endedBy: EndedBy = ({ isLong }) => {
    heard.push(isLong);
    return isLong ? 'the source changed' : undefined;
  };
  const startedAt = performance.now();
  await expect(wait(() => ({ ...DEPLOYMENT, status: {} }), endedBy, 400)).rejects.toThrow(SupersededError);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(200);
  expect(heard).toEqual([...heard.slice(0, -1).map(() => false), true]);
});

test('what is healthy is healthy, whatever is wanted by then', async () => {
  expect(
    await wait(
      () => ({ ...DEPLOYMENT, status: HEALTHY }),
      () => 'the spec changed',
    ),
  ).toBeUndefined();
});
