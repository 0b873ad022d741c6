import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { configMapResource } from '../../../api/core.js';
import { Fence, fencedKube } from '../../../controllers/runtime/fence.js';
import type { Kube } from '../../../controllers/runtime/kube.js';
import type { World } from '../../../sandbox/world.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { auditEntries, auditPosition, eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

/** A pool has so many connections: as many requests without an answer, and the next one waits. */
const CONNECTIONS = 64;

describe('a write that waits for a free connection', () => {
  let world: World;
  let admin: Kube;
  let namespace: string;
  let proxy: FaultProxy;
  let kube: Kube;

  beforeAll(async () => {
    world = await useWorld();
    admin = await kubeFor(world.host);
    namespace = await freshNamespace(admin, 'send-guard');
    proxy = await startFaultProxy(world.host);
    kube = proxy.kube();
  }, 180_000);

  afterAll(async () => {
    await kube.close();
    await proxy.close();
    await admin.close();
  });

  function readMany(): Promise<unknown>[] {
    return Array.from({ length: CONNECTIONS }, () => kube.get(configMapResource, { name: 'held', namespace }));
  }

  /** What comes of a write that is asked for 60 s before the deadline and gets a connection `leftMs` before it. */
  async function writeAfterWaiting(name: string, leftMs: number): Promise<unknown> {
    const clock = { nowMs: 0, looks: 0 };
    const now = (): number => {
      clock.looks += 1;
      return clock.nowMs;
    };
    const leader = { writeUntilMs: 60_000, lost: new AbortController().signal };
    const fenced = fencedKube(kube, new Fence({ leader, now }));
    proxy.tcp.partition();
    const reads = readMany();
    await eventually(() => expect(proxy.tcp.connections).toBe(CONNECTIONS));
    const write = fenced
      .create(configMapResource, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } })
      .catch((error: unknown) => error);
    await setImmediate();
    // Asked for, and not looked at again: it is not on a connection.
    expect(clock.looks).toBe(1);
    clock.nowMs = leader.writeUntilMs - leftMs;
    await proxy.tcp.restore();
    await Promise.all(reads);
    return write;
  }

  it('is sent when there is a connection before the deadline, and not a byte of it afterwards', async () => {
    const since = await auditPosition(world.host);
    expect(await writeAfterWaiting('in-time', 1)).toMatchObject({ metadata: { name: 'in-time' } });
    expect(await writeAfterWaiting('too-late', 0)).toMatchObject({
      message: expect.stringContaining('not written: this process is not the leader'),
    });
    // Whatever the server was asked before this one is in its audit log by then.
    await admin.create(configMapResource, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'last', namespace },
    });
    const writes = await eventually(async () => {
      const entries = (await auditEntries(world.host, since)).filter(
        ({ objectRef }) => objectRef?.namespace === namespace,
      );
      const names = entries
        .filter(({ objectRef }) => objectRef?.resource === 'configmaps')
        .map(({ objectRef }) => objectRef?.name);
      expect(names).toContain('last');
      return names;
    });
    expect(writes).toEqual(['in-time', 'last']);
    expect(proxy.http.seen.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  }, 120_000);
});
