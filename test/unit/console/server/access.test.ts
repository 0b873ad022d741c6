import { expect, jest, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { createAccess, type Deed } from '#console/server/access.js';
import type { Kube } from '#runtime/client/kube.js';

const USER = { username: 'viewer' };
const GET: Deed = {
  group: 'gitops.kubesphere.io',
  resource: 'applications',
  verb: 'get',
  namespace: 'shop',
  name: 'web',
};
const PATCH: Deed = { ...GET, verb: 'patch' };

/** Who may read only, and what was asked about him. */
function reader() {
  const asked: string[] = [];
  const create = (_: unknown, review: KubeObject): Promise<object> => {
    const { resourceAttributes } = (review as unknown as { spec: { resourceAttributes: Deed } }).spec;
    asked.push(resourceAttributes.verb);
    return Promise.resolve({ ...review, status: { allowed: resourceAttributes.verb === 'get' } });
  };
  return { access: createAccess({ create } as unknown as Kube), asked };
}

test('what is only offered is not asked about again for a minute after it was denied', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const { access, asked } = reader();
  const offered = async (nowMs: number): Promise<readonly boolean[]> => {
    clock.mockReturnValue(nowMs);
    asked.length = 0;
    return [await access.mayOffer(USER, PATCH), await access.mayOffer(USER, GET)];
  };
  expect([await offered(0), asked]).toEqual([
    [false, true],
    ['patch', 'get'],
  ]);
  expect([await offered(30_000), asked]).toEqual([[false, true], ['get']]);
  expect([await offered(61_000), asked]).toEqual([
    [false, true],
    ['patch', 'get'],
  ]);
  clock.mockRestore();
});
