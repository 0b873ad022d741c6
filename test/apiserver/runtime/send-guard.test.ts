import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { Fence, fencedKube } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
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
  });

  afterAll(async () => {
    await kube.close();
    await proxy.close();
    await admin.close();
  });

  function configMap(name: string): KubeObject {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
  }

  /** Runs `work` while every connection of the pool waits for an answer; then the answers come. */
  async function whileSaturated(work: () => Promise<void>): Promise<void> {
    proxy.tcp.partition();
    const held = { name: 'held', namespace };
    const reads = Promise.all(Array.from({ length: CONNECTIONS }, () => kube.get(configMapResource, held)));
    try {
      await eventually(() => expect(proxy.tcp.connections).toBe(CONNECTIONS));
      await work();
    } finally {
      await proxy.tcp.restore();
      await reads;
    }
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
    let write: Promise<unknown> | undefined;
    await whileSaturated(async () => {
      write = fenced.create(configMapResource, configMap(name)).catch((error: unknown) => error);
      await setImmediate();
      // Asked for, and not looked at again: it is not on a connection.
      expect(clock.looks).toBe(1);
      clock.nowMs = leader.writeUntilMs - leftMs;
    });
    return write;
  }

  it('is sent when there is a connection before the deadline, and not a byte of it afterwards', async () => {
    const since = await auditPosition(world.host);
    expect(await writeAfterWaiting('in-time', 1)).toMatchObject({ metadata: { name: 'in-time' } });
    expect(await writeAfterWaiting('too-late', 0)).toMatchObject({
      message: expect.stringContaining('not written: this process is not the leader'),
    });
    // Whatever the server was asked before this one is in its audit log by then.
    await admin.create(configMapResource, configMap('last'));
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
  });
});
