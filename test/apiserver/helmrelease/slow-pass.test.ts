import omit from 'lodash/omit.js';
import { beforeAll, expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import type { Condition, Unstructured } from '#api/meta.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { Kube } from '#runtime/client/kube.js';
import { callingAfter, Gate } from '../../support/gate.js';
import { auditEntries, auditPosition } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

/** The controller's reads of ConfigMap `slow` wait here. */
class ReadGate extends Gate {
  reads = 0;

  through(kube: Kube): Kube {
    return callingAfter(kube, 'get', async (_type, { name }) => {
      if (name !== 'slow') return;
      this.reads += 1;
      await this.pass();
    });
  }
}

const gate = new ReadGate();
const harness = useHarness('hr-slow', { charts: { plain: PLAIN }, through: (kube) => gate.through(kube) });
beforeAll(() =>
  harness.host.create<Unstructured>(configMapResource, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'slow', namespace: harness.namespace },
    data: { 'values.yaml': 'color: slow' },
  }),
);

const slow: Partial<HelmRelease['spec']> = { valuesFrom: [{ kind: 'ConfigMap', name: 'slow' }] };

type Facts = Omit<Condition, 'type' | 'lastTransitionTime'>;

function said(release: HelmRelease, type: string): Facts | undefined {
  const found = conditionOf(release, type);
  return found && omit(found, 'type', 'lastTransitionTime');
}

function inWork(status: 'True' | 'Unknown', observedGeneration: number): Facts {
  return { status, reason: 'Progressing', message: 'Fulfilling prerequisites', observedGeneration };
}

async function untilInWork(name: string, generation: number): Promise<HelmRelease> {
  return harness.until(name, (release) => {
    expect(said(release, 'Ready')).toEqual(inWork('Unknown', generation));
    expect(said(release, 'Reconciling')).toEqual(inWork('True', generation));
  });
}

/** Writes to the object itself, and to its status. */
async function writesOf(name: string, since: number): Promise<string[]> {
  const entries = await auditEntries(harness.world.host, since);
  const own = entries.filter(({ objectRef }) => objectRef?.resource === 'helmreleases' && objectRef.name === name);
  return own.map(({ verb, objectRef }) => `${verb} ${objectRef?.subresource ?? ''}`.trim());
}

test('a new generation whose values take long is reported as progressing, even if it waited for its chart before', async () => {
  gate.close();
  await harness.apply('waiting', slow);
  await untilInWork('waiting', 1);
  gate.open();
  await harness.untilReady('waiting');
  expect(await revisionsOf(harness, 'waiting')).toEqual(['1 deployed']);
  expect((await harness.configMap('waiting'))?.data?.['color']).toBe('slow');
});

test('the condition of another generation is replaced while the next one is prepared, once', async () => {
  await harness.apply('edited', slow);
  await harness.untilReady('edited');
  // A late event of its HelmChart may call for one more pass.
  await harness.passes.atRest({ name: 'edited', namespace: harness.namespace });
  gate.close();
  const reads = gate.reads;
  await harness.apply('edited', { ...slow, values: { extra: false } });
  const inBetween = await untilInWork('edited', 2);
  expect(inBetween.status?.observedGeneration).toBe(1);
  gate.open();
  const release = await harness.untilReady('edited');
  expect(conditionOf(release, 'Reconciling')).toBeUndefined();
  expect(await revisionsOf(harness, 'edited')).toEqual(['1 superseded', '2 deployed']);
  expect(gate.reads - reads).toBe(1);
});

test('an edit during preparation is not reported as progressing, and is what is rolled out', async () => {
  gate.close();
  await harness.apply('overtaken', slow);
  await untilInWork('overtaken', 1);
  await harness.apply('overtaken', { ...slow, values: { color: 'newer' } });
  gate.open();
  await harness.untilReady('overtaken');
  expect((await harness.configMap('overtaken'))?.data?.['color']).toBe('newer');
  expect(await revisionsOf(harness, 'overtaken')).toEqual(['1 deployed']);
});

test('a settled object is not written, however long its reconciliation takes', async () => {
  const { host } = harness.world;
  await harness.apply('settled', slow);
  const { metadata } = await harness.untilReady('settled');
  await harness.passes.atRest(metadata);
  gate.close();
  const before = await auditPosition(host);
  const reads = gate.reads;
  const body = { metadata: { annotations: { 'example.com/look': 'again' } } };
  await harness.host.patch(helmReleaseResource, metadata, { type: 'merge', body });
  await harness.until('settled', () => expect(gate.reads).toBe(reads + 1));
  // Longer than a pass may be silent about a new generation.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  gate.open();
  await harness.apply('next', {});
  await harness.untilReady('next');
  await harness.passes.atRest(metadata);
  expect(await writesOf('settled', before)).toEqual(['patch']);
});
