import { expect, test } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { secretResource } from '#api/core.js';
import { HOOKED, PLAIN } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-paired\n';
/** An object, and a hook that makes it earlier. */
const PAIRED = {
  'templates/config.yaml': `${CONFIG_MAP}data: { color: blue }\n`,
  'templates/hook.yaml': `${CONFIG_MAP}  annotations: { helm.sh/hook: pre-install }\ndata: { color: blue }\n`,
};
const harness = useHarness('hr-post', { charts: { plain: PLAIN, hooked: HOOKED, paired: PAIRED } });

function colored(color: string): {
  kustomize: { patches: { target: { kind: string; name: string }; patch: string }[] };
} {
  const patch = `[{"op": "replace", "path": "/data/color", "value": "${color}"}]`;
  return { kustomize: { patches: [{ target: { kind: 'ConfigMap', name: 'web' }, patch }] } };
}

test('post renderers change what is applied and what helm stores; labels of the release win', async () => {
  const patch = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "labels": {"team": "post"}}}';
  await harness.apply('web', {
    postRenderers: [colored('red'), colored('green'), { kustomize: { patches: [{ patch }] } }],
    commonMetadata: { labels: { team: 'shop' } },
  });
  const release = await harness.untilReady('web');
  const live = await harness.configMap('web');
  expect(live?.data?.['color']).toBe('green');
  expect(live?.metadata.labels).toMatchObject({ team: 'shop', 'helm.toolkit.fluxcd.io/name': 'web' });
  expect(await harness.helm('get', 'manifest', 'web')).toContain('color: green');
  expect(release.status?.observedPostRenderersDigest).toMatch(/^sha256:/);
});

test('other post renderers are a new revision, the same ones are none', async () => {
  await harness.apply('web', { postRenderers: [colored('blue')] });
  await harness.untilReady('web');
  expect(await revisionsOf(harness, 'web')).toEqual(['1 superseded', '2 deployed']);
  await harness.apply('web', { postRenderers: [colored('blue')], interval: '11m' });
  await harness.untilReady('web');
  expect(await revisionsOf(harness, 'web')).toEqual(['1 superseded', '2 deployed']);
});

async function lookAgain(name: string): Promise<void> {
  const { namespace } = harness;
  const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'again' } } };
  await harness.host.patch(helmReleaseResource, { name, namespace }, { type: 'merge', body });
  await harness.until(name, ({ status }) => expect(status?.lastHandledReconcileAt).toBe('again'));
}

test('what an earlier engine remembered otherwise is put right while nothing is to be done', async () => {
  await harness.apply('remembered', { postRenderers: [colored('red')] });
  const { status } = await harness.untilReady('remembered');
  const { namespace } = harness;
  const body = { status: { observedPostRenderersDigest: 'sha256:another' } };
  const options = { subresource: 'status' } as const;
  await harness.host.patch(helmReleaseResource, { name: 'remembered', namespace }, { type: 'merge', body }, options);
  await lookAgain('remembered');
  const release = await harness.read('remembered');
  expect(release.status?.observedPostRenderersDigest).toBe(status?.observedPostRenderersDigest);
  expect(await revisionsOf(harness, 'remembered')).toEqual(['1 deployed']);
});

function unfit(): ReturnType<typeof colored> {
  const patch = '[{"op": "remove", "path": "/no/where"}]';
  return { kustomize: { patches: [{ target: { kind: 'ConfigMap', name: 'later' }, patch }] } };
}

test('a patch that does not apply makes a running release not Ready until it is fixed', async () => {
  await harness.apply('later', {});
  await harness.untilReady('later');
  await harness.apply('later', { postRenderers: [unfit()] });
  await harness.until('later', (release) => expect(conditionOf(release, 'Stalled')?.status).toBe('True'));
  await lookAgain('later');
  const release = await harness.until('later', (current) => {
    expect(conditionOf(current, 'Stalled')?.message).toContain('post renderer: remove operation does not apply');
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason: 'UpgradeFailed' });
  });
  expect(release.status).not.toHaveProperty('observedPostRenderersDigest');
  await harness.apply('later', {});
  await harness.untilReady('later');
  expect(await revisionsOf(harness, 'later')).toEqual(['1 deployed']);
});

test('common metadata that came together with a wrong cluster is rolled out once the cluster is found', async () => {
  const { namespace } = harness;
  const changed = { commonMetadata: { labels: { team: 'shop' } }, kubeConfig: { secretRef: { name: 'awaited' } } };
  await harness.apply('labelled', {});
  await harness.untilReady('labelled');
  await harness.apply('labelled', changed);
  await harness.until('labelled', (release) => expect(conditionOf(release, 'Stalled')?.status).toBe('True'));
  const { data } = { ...(await harness.host.get(secretResource, { name: 'member', namespace })) } as { data?: object };
  const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'awaited', namespace }, data };
  await harness.host.create(secretResource, copy);
  await harness.untilReady('labelled');
  expect((await harness.configMap('labelled'))?.metadata.labels).toMatchObject({ team: 'shop' });
});

test('a patch that does not apply is reported with the message of kustomize', async () => {
  const patch = '[{"op": "remove", "path": "/no/where"}]';
  await harness.apply('bad', {
    postRenderers: [{ kustomize: { patches: [{ target: { kind: 'ConfigMap' }, patch }] } }],
  });
  await harness.until('bad', (release) => {
    expect(conditionOf(release, 'Stalled')?.message).toContain('post renderer: remove operation does not apply');
  });
  expect(await harness.configMap('bad')).toBeUndefined();
});

/** Another colour, and a test that fails. */
function untrue(name: string): ReturnType<typeof colored> {
  const { kustomize } = colored('red');
  const outcome = '[{"op": "replace", "path": "/metadata/annotations/sandbox.fairlead.dev~1outcome", "value": "fail"}]';
  const [color] = kustomize.patches;
  const patches = [
    { ...color!, target: { kind: 'ConfigMap', name } },
    { target: { kind: 'Pod', name: `${name}-check` }, patch: outcome },
  ];
  return { kustomize: { patches } };
}

test('post renderers whose revision fails its tests and is rolled back are not taken for what runs', async () => {
  const chart = { chart: 'hooked', version: '1.0.0', sourceRef: { kind: 'HelmRepository' as const, name: 'charts' } };
  const spec = {
    chart: { spec: chart },
    test: { enable: true },
    upgrade: { remediation: { retries: 0, remediateLastFailure: true } },
  };
  await harness.apply('proved', spec);
  await harness.untilReady('proved');
  await harness.apply('proved', { ...spec, postRenderers: [untrue('proved')] });
  const release = await harness.until('proved', (current) => {
    expect(conditionOf(current, 'Stalled')).toMatchObject({ status: 'True', reason: 'RetriesExceeded' });
  });
  expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'RollbackSucceeded' });
  expect((await harness.configMap('proved'))?.data?.['color']).toBe('blue');
  const revisions = ['1 superseded', '2 superseded', '3 deployed'];
  expect(await revisionsOf(harness, 'proved')).toEqual(revisions);
  await harness.apply('proved', spec);
  await harness.untilReady('proved');
  expect(await revisionsOf(harness, 'proved')).toEqual(revisions);
});

test('a hook of the name of an object is told with the strategy that it needs', async () => {
  const spec = { chart: 'paired', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;
  const renderer = { kustomize: { images: [{ name: 'web', newTag: '2' }] } };
  await harness.apply('twice', { chart: { spec }, postRenderers: [renderer] });
  await harness.until('twice', (current) => {
    expect(conditionOf(current, 'Ready')?.message).toContain('set spec.postRenderStrategy: separate, or nohooks');
  });
  await harness.apply('twice', { chart: { spec }, postRenderers: [renderer], postRenderStrategy: 'separate' });
  await harness.untilReady('twice');
  expect((await harness.configMap('twice-paired'))?.data).toEqual({ color: 'blue' });
});
