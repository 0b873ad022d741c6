import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { Member } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { reachable } from '#engine/flux/target-cluster.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { TransientError } from '#lib/errors.js';

/** Nothing listens on this port: connections are refused. */
const SERVER = 'https://127.0.0.1:1';

describe('a member that is away', () => {
  const kube = kubeFromConfig({ server: SERVER });
  const members = createMembers({ host: kube });
  let away: Member;

  beforeAll(async () => {
    away = await members.get('host', 'team');
  });

  afterAll(async () => {
    await members.close();
    await kube.close();
  });

  test('has one form, with its address', () => {
    expect(reachable(away)).toBe(reachable(away));
    expect(reachable(away).kube.server).toBe(SERVER);
  });

  test('is named by its requests', async () => {
    const answer = reachable(away).kube.get(secretResource, { namespace: 'team', name: 'any' });
    await expect(answer).rejects.toMatchObject({
      reason: 'ClusterUnreachable',
      message: expect.stringContaining(`cannot reach cluster host at ${SERVER}`),
    });
  });

  test('breaks a watch as the client itself does', async () => {
    const events = reachable(away).kube.watch(secretResource, { resourceVersion: '1', timeoutSeconds: 5 });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(TransientError);
  });
});
