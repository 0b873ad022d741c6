import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMapResource, eventResource } from '../../../api/core.js';
import type { KubeObject } from '../../../api/meta.js';
import type { Kube } from '../../../controllers/runtime/kube.js';
import { createLogger } from '../../../controllers/runtime/log.js';
import { Manager } from '../../../controllers/runtime/manager.js';
import { auditEntries, auditPosition, eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';
import { mirrorController, type ConfigMap } from '../../../sandbox/churn/mirror.js';
import type { Cluster } from '../../../sandbox/world.js';

interface CoreEvent extends KubeObject {
  reason: string;
}

describe('a controller of forty lines on a real API server', () => {
  let kube: Kube;
  let host: Cluster;
  let namespace: string;
  let running: Promise<void>;
  const stopping = new AbortController();
  const named = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });
  const copyData = async (name: string): Promise<Record<string, string> | undefined> =>
    (await kube.get<ConfigMap>(configMapResource, { name: `${name}-copy`, namespace }))?.data;

  beforeAll(async () => {
    host = (await useWorld()).host;
    kube = await kubeFor(host);
    namespace = await freshNamespace(kube, 'manager');
    await kube.create(configMapResource, named('source-before', { a: '1' }));
    const manager = new Manager({ kube, log: createLogger('silent'), namespace });
    manager.setup(mirrorController);
    running = manager.start(stopping.signal);
  }, 120_000);

  afterAll(async () => {
    stopping.abort();
    await running;
    await kube.close();
  });

  it('finds what was there before it started', async () => {
    await eventually(async () => expect(await copyData('source-before')).toEqual({ a: '1' }));
  });

  it('follows changes, and mends what others change', async () => {
    const made = await kube.create(configMapResource, named('source-live', { a: '1' }));
    await eventually(async () => expect(await copyData('source-live')).toEqual({ a: '1' }));
    await kube.update(configMapResource, { ...made, data: { a: '2' } });
    await eventually(async () => expect(await copyData('source-live')).toEqual({ a: '2' }));
    await kube.delete(configMapResource, { name: 'source-live-copy', namespace });
    await eventually(async () => expect(await copyData('source-live')).toEqual({ a: '2' }));
    await kube.delete(configMapResource, { name: 'source-live', namespace });
    await eventually(async () => expect(await copyData('source-live')).toBeUndefined());
  });

  it('sees a delete and a create under one name as two changes', async () => {
    const ref = { name: 'source-again', namespace };
    await kube.create(configMapResource, named('source-again', { a: 'old' }));
    await eventually(async () => expect(await copyData('source-again')).toEqual({ a: 'old' }));
    await kube.delete(configMapResource, ref);
    await kube.create(configMapResource, named('source-again', { a: 'new' }));
    await eventually(async () => expect(await copyData('source-again')).toEqual({ a: 'new' }));
  });

  it('records an event once and does not retry a violation until the object changes', async () => {
    const made = await kube.create(configMapResource, named('source-bad', { bad: '1' }));
    await eventually(async () => {
      const { items } = await kube.list<CoreEvent>(eventResource, { namespace });
      expect(items.filter(({ reason }) => reason === 'BadData')).toHaveLength(1);
    });
    await kube.update(configMapResource, { ...made, data: { good: '1' } });
    await eventually(async () => expect(await copyData('source-bad')).toEqual({ good: '1' }));
  });

  it('writes nothing when there is nothing to do', async () => {
    const since = await auditPosition(host);
    await kube.patch(
      configMapResource,
      { name: 'source-before', namespace },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
    await kube.create(configMapResource, named('source-last', { z: '1' }));
    await eventually(async () => expect(await copyData('source-last')).toEqual({ z: '1' }));
    const writes = (await auditEntries(host, since)).filter(({ objectRef }) => objectRef?.namespace === namespace);
    expect(writes.map(({ verb, objectRef }) => `${verb} ${objectRef?.name ?? ''}`)).toEqual([
      'patch source-before',
      'create source-last',
      'patch source-last-copy',
    ]);
  });
});
