import { expect, test } from '@jest/globals';
import { createKeptAnswers, Discovery } from '#engine/member/discovery.js';
import { NewKinds } from '#engine/member/new-kinds.js';
import { memberLimits } from '#runtime/client/answer-limits.js';
import type { Kube } from '#runtime/client/kube.js';

const RESOURCES = Array.from({ length: 100 }, (_, index) => ({
  kind: `Kind${index}`,
  name: `kinds${index}`,
  namespaced: true,
}));

/** A member of this tenant, which serves a hundred kinds in any group. */
function memberOf(tenant: string, asked: string[]): Kube {
  const read = (path: string): Promise<unknown> => {
    asked.push(`${tenant} ${path}`);
    return Promise.resolve({ kind: 'APIResourceList', resources: RESOURCES });
  };
  return { server: `https://${tenant}.test`, limits: memberLimits(tenant), read } as unknown as Kube; // all that is used
}

test('a tenant whose members serve many kinds makes no other one ask again', async () => {
  const kept = createKeptAnswers(1024 * 1024);
  const asked: string[] = [];
  const [steady, greedy] = ['steady', 'greedy'].map(
    (tenant) => new Discovery(memberOf(tenant, asked), new NewKinds(), kept),
  );
  await steady?.resourceType('a.test/v1', 'Kind1');
  for (let index = 0; index < 200; index += 1) await greedy?.resourceType(`g${index}.test/v1`, 'Kind1');
  await steady?.resourceType('a.test/v1', 'Kind2');
  expect(asked.filter((each) => each.startsWith('steady'))).toHaveLength(1);
  await greedy?.resourceType('g0.test/v1', 'Kind1');
  expect(asked.filter((each) => each.endsWith('g0.test/v1'))).toHaveLength(2);
});
