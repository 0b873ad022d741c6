import { expect, test } from '@jest/globals';
import { configMapResource, crdResource, eventResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { eventually } from '../../support/world.js';
import type { ChartFiles } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness, type Harness } from './harness.js';

type SecretObject = Unstructured & { readonly data?: Readonly<Record<string, string>> };

type Spec = Parameters<Harness['apply']>[1];

const claimResource: ResourceType = {
  ...configMapResource,
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};

const CLAIM: ChartFiles = {
  'values.yaml': 'class: slow\n',
  'templates/claim.yaml': `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: {{ .Release.Name }}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: {{ .Values.class }}
  resources: {requests: {storage: 1Gi}}
`,
};

function configMap(name: string, metadata = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}${name}\n${metadata}data: {color: {{ .Values.color }}}\n`;
}

/** What templates make of a value that is not set. */
const UNSET: ChartFiles = {
  'values.yaml': 'color: red\nspace: null\n',
  'templates/null.yaml': configMap('', '  namespace: {{ .Values.space }}\n'),
  'templates/empty.yaml': configMap('-empty', '  namespace: {{ .Values.space | default "" | quote }}\n'),
  'templates/hook.yaml': configMap(
    '-hook',
    '  namespace: ""\n  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}\n',
  ),
};

function crd(group: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: moves.${group}}
spec:
  group: ${group}
  names: {kind: Move, plural: moves}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;
}

/** A Secret in plain text, which the API server stores in another field. */
const PLAIN_SECRET: ChartFiles = {
  'values.yaml': 'extra: null\n',
  'templates/secret.yaml': `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
stringData:
  fixed: one
{{- with .Values.extra }}
  extra: {{ . }}
{{- end }}
`,
};

const harness = useHarness('hr-objects', {
  charts: {
    claim: CLAIM,
    'plain-secret': PLAIN_SECRET,
    unset: UNSET,
    pair: {
      'values.yaml': 'color: red\n',
      'templates/one.yaml': configMap('-one'),
      'templates/two.yaml': configMap('-two'),
    },
    'cut-short': {
      'values.yaml': 'color: red\n',
      'templates/hook.yaml': configMap('_not_a_name', '  annotations: {helm.sh/hook: pre-install}\n'),
      'templates/map.yaml': configMap(''),
    },
  },
});

function chart(name: string, version = '1.0.0', more: Spec = {}): Spec {
  return { chart: { spec: { chart: name, version, sourceRef: { kind: 'HelmRepository', name: 'charts' } } }, ...more };
}

async function uninstalled(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
}

test('a claim stays when what is wanted of it cannot be had, whatever is forced', async () => {
  const forced = { upgrade: { force: true }, rollback: { force: true } };
  await harness.apply('claim', chart('claim', '1.0.0', { ...forced, install: { disableWait: true } }));
  await harness.untilReady('claim');
  const ref = { name: 'claim', namespace: harness.namespace };
  const before = await harness.member.get<Unstructured>(claimResource, ref);
  await harness.apply('claim', chart('claim', '1.0.0', { ...forced, values: { class: 'fast' } }));
  await harness.until('claim', (release) => expect(conditionOf(release, 'Released')?.status).toBe('False'));
  const after = await harness.member.get<Unstructured>(claimResource, ref);
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after?.metadata.deletionTimestamp).toBeUndefined();
});

function decoded(data: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

test('a credential that a chart no longer has is gone, also one in plain text, and what others remove comes back', async () => {
  const ref = { name: 'credential', namespace: harness.namespace };
  const dataOf = async () => decoded((await harness.member.get<SecretObject>(secretResource, ref))?.data);
  const corrected: Spec = { driftDetection: { mode: 'enabled' } };
  await harness.apply('credential', chart('plain-secret', '1.0.0', { ...corrected, values: { extra: 'two' } }));
  await harness.untilReady('credential');
  expect(await dataOf()).toEqual({ fixed: 'one', extra: 'two' });
  await harness.apply('credential', chart('plain-secret', '1.0.0', corrected));
  await harness.untilReady('credential');
  expect(await dataOf()).toEqual({ fixed: 'one' });
  await harness.member.patch(secretResource, ref, { type: 'merge', body: { data: { fixed: null } } });
  const touch = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'again' } } };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: touch });
  await eventually(async () => expect(await dataOf()).toEqual({ fixed: 'one' }));
  expect(await revisionsOf(harness, 'credential')).toEqual(['1 superseded', '2 deployed']);
});

test('a namespace that is null or empty is the one of the release', async () => {
  await harness.apply('unset', chart('unset', '1.0.0', { driftDetection: { mode: 'enabled' } }));
  const { status } = await harness.untilReady('unset');
  const { namespace } = harness;
  const ids = ['unset', 'unset-empty'].map((name) => `${namespace}_${name}__ConfigMap`);
  expect(status?.inventory?.entries.map(({ id }) => id).sort()).toEqual(ids.sort());
  await harness.apply(
    'unset',
    chart('unset', '1.0.0', { driftDetection: { mode: 'enabled' }, values: { color: 'blue' } }),
  );
  await harness.untilReady('unset');
  expect((await harness.configMap('unset-empty'))?.data?.['color']).toBe('blue');
  expect(await revisionsOf(harness, 'unset')).toEqual(['1 superseded', '2 deployed']);
  await uninstalled('unset');
  expect(await harness.configMap('unset')).toBeUndefined();
  expect(await harness.configMap('unset-empty')).toBeUndefined();
});

test('an uninstall leaves, and reports, objects without marks or with those of another release', async () => {
  await harness.apply('pair', chart('pair'));
  await harness.untilReady('pair');
  const annotate = (name: string, body: Record<string, string | null>) =>
    harness.member.patch(
      configMapResource,
      { name, namespace: harness.namespace },
      { type: 'merge', body: { metadata: { annotations: body } } },
      { fieldManager: 'kubectl-annotate' },
    );
  await annotate('pair-one', { 'meta.helm.sh/release-name': null, 'meta.helm.sh/release-namespace': null });
  await annotate('pair-two', { 'meta.helm.sh/release-name': 'another' });
  await uninstalled('pair');
  for (const name of ['pair-one', 'pair-two']) expect(await harness.configMap(name)).toBeDefined();
  const { namespace } = harness;
  await eventually(async () => {
    const { items } = await harness.host.list<Unstructured>(eventResource, { namespace });
    expect(items.map((event) => event['message'])).toContain(
      `Helm uninstall succeeded for release ${namespace}/pair; left in place, not marked as its own: ConfigMap/${namespace}/pair-one, ConfigMap/${namespace}/pair-two`,
    );
  });
});

test('an uninstall leaves what an install that failed before never came to', async () => {
  const metadata = { name: 'cut-short', namespace: harness.namespace };
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { color: 'theirs' } };
  await harness.member.create(configMapResource, theirs, { fieldManager: 'kubectl-create' });
  await harness.apply('cut-short', chart('cut-short', '1.0.0', { install: { remediation: { retries: 1 } } }));
  await harness.until('cut-short', (release) => expect(conditionOf(release, 'Stalled')?.status).toBe('True'));
  await uninstalled('cut-short');
  expect((await harness.configMap('cut-short'))?.data).toEqual({ color: 'theirs' });
});

test('a CRD that a chart moves from its templates to crds/ stays', async () => {
  const group = `${harness.namespace}.test`;
  const ref = { name: `moves.${group}` };
  const plain = { 'values.yaml': 'color: red\n', 'templates/a.yaml': configMap('') };
  await harness.publish('moving', '1.0.0', { ...plain, 'templates/crd.yaml': crd(group) });
  await harness.publish('moving', '2.0.0', { ...plain, 'crds/crd.yaml': crd(group) });
  await harness.apply('moving', chart('moving'));
  await harness.untilReady('moving');
  const before = await harness.member.get(crdResource, ref);
  await harness.apply('moving', chart('moving', '2.0.0'));
  await harness.untilReady('moving');
  await uninstalled('moving');
  const after = await harness.member.get(crdResource, ref);
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after?.metadata.deletionTimestamp).toBeUndefined();
  await harness.member.delete(crdResource, ref);
});

test('CRDs of crds/ say whose they are; what else lies there is left out', async () => {
  const group = `brought.${harness.namespace}.test`;
  const ref = { name: `moves.${group}` };
  const monitor = 'apiVersion: not.served.test/v1\nkind: Monitor\nmetadata: {name: m}\n';
  await harness.publish('brings', '1.0.0', {
    'values.yaml': 'color: red\n',
    'templates/a.yaml': configMap(''),
    'crds/all.yaml': `${crd(group)}---\n${monitor}`,
  });
  await harness.apply('brings', chart('brings'));
  const { status } = await harness.untilReady('brings');
  expect((await harness.member.get(crdResource, ref))?.metadata.labels).toMatchObject({
    'helm.toolkit.fluxcd.io/name': 'brings',
    'helm.toolkit.fluxcd.io/namespace': harness.namespace,
  });
  expect(status?.inventory?.entries.map(({ id }) => id)).toEqual([
    `_moves.${group}_apiextensions.k8s.io_CustomResourceDefinition`,
    `${harness.namespace}_brings__ConfigMap`,
  ]);
  await harness.member.delete(crdResource, ref);
});
