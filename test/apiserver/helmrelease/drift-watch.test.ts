import { expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { conditionOf, useHarness } from './harness.js';

/** Loaded test machines are slow; the interval, which would notice it too, is ten minutes. */
const SOON = { timeoutMs: 300_000 };
const TEN = Array.from({ length: 10 }, (_, index) => `-${index}`);
const CONFIG_MAPS_OF_CHART = `{{- range until 10 }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ . }}
data:
  color: blue
{{- end }}
`;

const harness = useHarness('hr-watch', {
  charts: { ten: { 'templates/config.yaml': CONFIG_MAPS_OF_CHART } },
  watchManaged: true,
});

async function install(name: string, mode: 'enabled' | 'warn' | 'disabled'): Promise<void> {
  const source = { kind: 'HelmRepository' as const, name: 'charts' };
  await harness.apply(name, {
    driftDetection: { mode },
    chart: { spec: { chart: 'ten', version: '1.0.0', sourceRef: source } },
  });
  await harness.untilReady(name);
}

async function deleteAll(release: string): Promise<void> {
  const { member, namespace } = harness;
  await Promise.all(TEN.map((suffix) => member.delete(configMapResource, { name: `${release}${suffix}`, namespace })));
}

async function live(release: string): Promise<number> {
  const { items } = await harness.member.list(configMapResource, { namespace: harness.namespace });
  return items.filter(({ metadata }) => metadata.name.startsWith(`${release}-`)).length;
}

async function recolor(name: string, color: string): Promise<void> {
  const patch = { type: 'merge', body: { data: { color } } } as const;
  await harness.member.patch(configMapResource, { name, namespace: harness.namespace }, patch, {
    fieldManager: 'edit',
  });
}

test.concurrent('ten deleted ConfigMaps are back, long before the interval', async () => {
  await install('gone', 'enabled');
  await deleteAll('gone');
  await eventually(async () => expect(await live('gone')).toBe(10), SOON);
});

test.concurrent('a changed field is reverted, and then there is rest', async () => {
  await install('edited', 'enabled');
  await recolor('edited-3', 'pink');
  await eventually(async () => {
    expect((await harness.configMap('edited-3'))?.data?.['color']).toBe('blue');
  }, SOON);
  await harness.until('edited', (release) => expect(conditionOf(release, 'Drifted')?.status).toBe('False'));
  // A correction can be seen before its entry is in the log, and a report may be of the pass before.
  await harness.passes.atRest({ name: 'edited', namespace: harness.namespace });
  const [cluster] = harness.world.members;
  if (cluster === undefined) throw new Error('the world has no member');
  const since = await auditPosition(cluster);
  await recolor('edited-4', 'pink');
  await eventually(async () => {
    expect((await harness.configMap('edited-4'))?.data?.['color']).toBe('blue');
  }, SOON);
  const written = async (): Promise<(string | undefined)[]> =>
    (await auditEntries(cluster, since))
      .filter(({ userAgent, requestURI }) => userAgent.startsWith('fairlead') && !requestURI.includes('dryRun'))
      .filter(({ objectRef }) => objectRef?.name?.startsWith('edited-') === true)
      .filter(({ requestURI }) => requestURI.includes('fieldManager=helm-controller'))
      .map(({ objectRef }) => objectRef?.name);
  // A write can be seen before its entry is in the log.
  await eventually(async () => expect(await written()).toEqual(['edited-4']), SOON);
});

test.concurrent('warn only tells, at once', async () => {
  await install('told', 'warn');
  await deleteAll('told');
  await harness.until('told', (release) => expect(conditionOf(release, 'Drifted')?.status).toBe('True'));
  expect(await live('told')).toBe(0);
});

test.concurrent('without drift detection, lost objects are missed at once, and not created again', async () => {
  await install('lost', 'disabled');
  await deleteAll('lost');
  await harness.until('lost', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'ObjectsMissing' });
  });
  expect(await live('lost')).toBe(0);
});

test.concurrent('a suspended release is left alone', async () => {
  await install('asleep', 'enabled');
  const ref = { name: 'asleep', namespace: harness.namespace };
  const suspend = { type: 'merge', body: { spec: { suspend: true } } } as const;
  const patch = () => harness.host.patch(helmReleaseResource, ref, suspend, { fieldManager: 'test' });
  await harness.passes.after(ref, patch);
  await deleteAll('asleep');
  await install('witness', 'enabled');
  await deleteAll('witness');
  await eventually(async () => expect(await live('witness')).toBe(10), SOON);
  expect(await live('asleep')).toBe(0);
});
