import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { ClusterEventRecorder } from '#runtime/event-recorder.js';
import { createLogger } from '#runtime/process/log.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace } from '../../support/world.js';

const MINUTE_MS = 60_000;

interface CoreEvent extends KubeObject {
  count: number;
  reason: string;
  firstTimestamp: string;
  lastTimestamp: string;
}

describe('events on a real API server', () => {
  const kube = useHost();
  let namespace: string;
  let now: number;
  let recorder: ClusterEventRecorder;

  beforeAll(async () => {
    namespace = await freshNamespace(kube, 'events');
    now = Date.now();
    recorder = new ClusterEventRecorder({ kube, log: createLogger('silent'), component: 'test', now: () => now });
  });

  const objectNamed = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid: `uid-of-${name}` },
  });

  async function eventsFor(name: string): Promise<CoreEvent[]> {
    await recorder.flush(60_000);
    const { items } = await kube.list<CoreEvent>(eventResource, {
      namespace,
      fieldSelector: `involvedObject.name=${name}`,
    });
    return items;
  }

  it('counts the same event instead of repeating it, and writes the count at most every ten minutes', async () => {
    const object = objectNamed('often');
    for (let time = 0; time < 3; time += 1) recorder.record(object, 'Warning', 'Failed', 'it failed');
    const [first, ...others] = await eventsFor('often');
    expect(first).toMatchObject({ count: 1, reason: 'Failed' });
    expect(others).toEqual([]);
    now += 11 * MINUTE_MS;
    recorder.record(object, 'Warning', 'Failed', 'it failed');
    const [again, ...more] = await eventsFor('often');
    expect(again).toMatchObject({ count: 4, firstTimestamp: first!.firstTimestamp });
    expect(Date.parse(again!.lastTimestamp) - Date.parse(first!.lastTimestamp)).toBe(11 * MINUTE_MS);
    expect(more).toEqual([]);
  });

  it('recreates the event when the server has dropped it meanwhile', async () => {
    const object = objectNamed('dropped');
    recorder.record(object, 'Normal', 'Done', 'it is done');
    const [first] = await eventsFor('dropped');
    await kube.delete(eventResource, first!.metadata);
    now += 11 * MINUTE_MS;
    recorder.record(object, 'Normal', 'Done', 'it is done');
    expect(await eventsFor('dropped')).toMatchObject([{ count: 2 }]);
  });

  it('distinguishes events by object, type, reason and message', async () => {
    const object = objectNamed('various');
    recorder.record(object, 'Normal', 'Done', 'one');
    recorder.record(object, 'Normal', 'Done', 'two');
    recorder.record(object, 'Warning', 'Done', 'two');
    recorder.record(object, 'Warning', 'Failed', 'two');
    recorder.record({ ...object, kind: 'Secret' }, 'Warning', 'Failed', 'two');
    expect(await eventsFor('various')).toHaveLength(5);
  });

  it('allows a hundred events of one object at once, then one per half minute, without limiting others', async () => {
    const flood = objectNamed('flood');
    for (let item = 0; item < 150; item += 1) recorder.record(flood, 'Normal', 'Done', `item ${item}`);
    expect(await eventsFor('flood')).toHaveLength(100);
    now += 61_000;
    for (let item = 150; item < 160; item += 1) recorder.record(flood, 'Normal', 'Done', `item ${item}`);
    expect(await eventsFor('flood')).toHaveLength(102);
    recorder.record(objectNamed('quiet'), 'Normal', 'Done', 'one thing');
    expect(await eventsFor('quiet')).toHaveLength(1);
  });

  it('records events on cluster-scoped objects in the namespace default', async () => {
    const metadata = { name: namespace, uid: `uid-of-${namespace}` };
    recorder.record({ apiVersion: 'v1', kind: 'Namespace', metadata }, 'Normal', 'Seen', 'it is there');
    await recorder.flush(60_000);
    const query = { namespace: 'default', fieldSelector: `involvedObject.name=${namespace}` };
    const { items } = await kube.list<CoreEvent>(eventResource, query);
    expect(items.map(({ reason }) => reason)).toEqual(['Seen']);
  });

  it('takes the longest name that an object can have', async () => {
    const name = 'n'.repeat(253);
    recorder.record(objectNamed(name), 'Normal', 'Done', 'it is done');
    expect(await eventsFor(name)).toHaveLength(1);
  });

  it('never throws: what cannot be written is dropped', async () => {
    const nowhere = { ...objectNamed('lost'), metadata: { name: 'lost', namespace: `${namespace}-absent` } };
    recorder.record(nowhere, 'Normal', 'Done', 'it is done');
    await expect(recorder.flush(60_000)).resolves.toBeUndefined();
  });
});
