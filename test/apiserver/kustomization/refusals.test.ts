import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, eventResource } from '#api/core.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../../support/world.js';
import { conditionOf, configMap, createHarness, type Files, type Harness } from './harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('refused');
});

afterAll(() => harness.close());

function stalled(name: string, reason: string): Promise<Kustomization> {
  return harness.until(name, (object) => {
    const facts = { status: 'True', reason, observedGeneration: object.metadata.generation };
    expect(conditionOf(object, 'Stalled')).toMatchObject(facts);
    expect(conditionOf(object, 'Ready')).toMatchObject({ ...facts, status: 'False' });
  });
}

async function warningsOf(name: string): Promise<string[]> {
  const { items } = await harness.host.list<Unstructured>(eventResource, { namespace: harness.namespace });
  const own = items.filter((event) => isMap(event['involvedObject']) && event['involvedObject']['name'] === name);
  return own.filter((event) => event['type'] === 'Warning').map((event) => String(event['reason']));
}

test('a spec that cannot be done is stalled with its field, without a finalizer, and answered once', async () => {
  const { namespace } = harness;
  await harness.apply('spec', { decryption: { provider: 'sops', serviceAccountName: 'a' } });
  const spec = await stalled('spec', 'FeatureNotSupported');
  expect(conditionOf(spec, 'Ready')?.message).toContain('spec.decryption.serviceAccountName is not supported by');
  expect(spec.metadata.finalizers).toBeUndefined();
  await eventually(async () => expect(await warningsOf('spec')).toEqual(['FeatureNotSupported']));
  const { passes } = harness.controllers;
  await passes.atRest({ name: 'spec', namespace });
  const since = await auditPosition(harness.world.host);
  await harness.apply('spec', { sourceRef: { kind: 'GitRepository', name: 'a', namespace: 'elsewhere' } });
  await stalled('spec', 'AccessDenied');
  await harness.apply('spec', { dependsOn: [{ name: 'dns', readyExpr: 'dep.status ==' }] });
  await stalled('spec', 'InvalidCELExpression');
  await passes.atRest({ name: 'spec', namespace });
  const writes = (await auditEntriesUntilNow(harness.world.host, since)).filter(
    ({ objectRef }) => objectRef?.namespace === namespace && objectRef.subresource === 'status',
  );
  expect(writes).toHaveLength(2);
  await harness.apply('spec', { suspend: true, decryption: { provider: 'sops' } });
  await harness.remove('spec');
});

test('a source that is not there, or not yet, is waited for', async () => {
  await harness.apply('early');
  expect(await harness.untilNotReady('early', 'ArtifactFailed')).toContain(
    `source 'GitRepository/${harness.namespace}/early' not found`,
  );
  const revision = await harness.publish('early', { 'a.yaml': configMap('early') });
  await harness.untilReady('early', revision);
});

const list = (...resources: string[]): string => JSON.stringify({ resources });
const SECRET = 'a-value-that-nobody-may-read';
const SECRET_OBJECT = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'quoted' } };

/** Sources that are refused, and what is said of them. */
const BAD: readonly (readonly [
  name: string,
  files: Files,
  path: string | undefined,
  reason: string,
  message: string,
])[] = [
  ['path', {}, 'nowhere', 'ArtifactFailed', 'kustomization path not found: spec.path "nowhere"'],
  ['escape', {}, '../..', 'ArtifactFailed', 'spec.path "../.." leads out of the source'],
  [
    'above',
    { 'kustomization.yaml': list('../../etc/passwd') },
    undefined,
    'BuildFailed',
    'kustomization.yaml: resources[0]',
  ],
  ['remote', { 'kustomization.yaml': list('https://example.com/x.yaml') }, undefined, 'BuildFailed', 'is remote'],
  [
    'loop',
    { 'kustomization.yaml': list('b'), 'b/kustomization.yaml': list('..') },
    undefined,
    'BuildFailed',
    'bases form a loop',
  ],
  ['twice', { 'a.yaml': configMap('twice'), 'b.yaml': configMap('twice') }, undefined, 'BuildFailed', 'twice'],
  ['broken', { 'a.yaml': `kind: [${SECRET}` }, undefined, 'BuildFailed', 'a.yaml'],
  [
    'unknown',
    { 'a.yaml': JSON.stringify({ apiVersion: 'x.example.com/v1', kind: 'X', metadata: { name: 'x' } }) },
    undefined,
    'ReconciliationFailed',
    'serves no kind X',
  ],
  [
    'invalid',
    { 'a.yaml': JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'invalid' } }) },
    undefined,
    'ReconciliationFailed',
    'Deployment/',
  ],
  [
    'sealed',
    { 'a.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sealed' }, sops: {} }) },
    undefined,
    'ReconciliationFailed',
    'encrypted by SOPS',
  ],
  [
    'pinned',
    { 'old.yaml': configMap('old-pinned', {}, { resourceVersion: '1' }) },
    undefined,
    'ReconciliationFailed',
    'remove metadata.resourceVersion and metadata.uid from the source',
  ],
  [
    'copied',
    { 'a.yaml': configMap('copied', {}, { uid: '5a7bba0c-8f0e-4a6b-a2f6-4e2a3ee0a1d1' }) },
    undefined,
    'ReconciliationFailed',
    'remove metadata.resourceVersion and metadata.uid from the source',
  ],
  [
    'many',
    { 'a.yaml': Array.from({ length: 10_000 }, (_, index) => configMap(`many-${index}`)).join('\n---\n') },
    undefined,
    'BuildFailed',
    'the files have 10001 objects, and at most 5000 are supported',
  ],
  [
    'huge',
    { 'a.yaml': configMap('huge', { text: 'x'.repeat(2_000_000) }) },
    undefined,
    'ReconciliationFailed',
    '/huge: ',
  ],
  [
    'quoted',
    { 'a.yaml': JSON.stringify({ ...SECRET_OBJECT, data: { key: { text: SECRET } } }) },
    undefined,
    'ReconciliationFailed',
    'the server refuses this Secret (HTTP 500): data[key] is a map: make it a text, in quotes',
  ],
  [
    'uncoded',
    { 'a.yaml': JSON.stringify({ ...SECRET_OBJECT, data: { key: `**${SECRET}**` } }) },
    undefined,
    'ReconciliationFailed',
    'data[key] is not base64: encode it, or set it in stringData',
  ],
  [
    'numbered',
    { 'a.yaml': JSON.stringify({ ...SECRET_OBJECT, stringData: { port: 5432 } }) },
    undefined,
    'ReconciliationFailed',
    'stringData[port] is a number: make it a text, in quotes',
  ],
];

test('bad sources are told by file, object and way out; nothing of them is applied or pruned, and others go on', async () => {
  for (const [name] of BAD) {
    await harness.publish(name, { 'old.yaml': configMap(`old-${name}`) });
    await harness.apply(name);
  }
  for (const [name] of BAD) await harness.untilReady(name);
  for (const [name, files, path, reason, message] of BAD) {
    // First: the new files must not be applied from where the old ones are.
    if (path !== undefined) await harness.apply(name, { path });
    await harness.publish(name, { 'new.yaml': configMap(`new-${name}`), ...files });
    expect([name, await harness.untilNotReady(name, reason)]).toEqual([name, expect.stringContaining(message)]);
  }
  for (const [name] of BAD) {
    expect([name, (await harness.configMap(`old-${name}`)) === undefined]).toEqual([name, false]);
    expect([name, (await harness.configMap(`new-${name}`)) === undefined]).toEqual([name, true]);
    const { status } = await harness.read(name);
    expect(JSON.stringify(status)).not.toContain(SECRET);
    const id = `${harness.namespace}_old-${name}__ConfigMap`;
    expect(status?.inventory?.entries.map((entry) => entry.id)).toContain(id);
  }
});

test('an empty build prunes nothing, and one that says that it is empty prunes everything', async () => {
  await harness.publish('empty', { 'app/a.yaml': configMap('empty') });
  await harness.apply('empty', { path: 'app' });
  await harness.untilReady('empty');
  await harness.publish('empty', { 'app/readme.md': 'nothing' });
  expect(await harness.untilNotReady('empty', 'BuildFailed')).toContain('the build is empty, and nothing is deleted');
  expect(await harness.configMap('empty')).toBeDefined();
  const revision = await harness.publish('empty', { 'app/kustomization.yaml': '{resources: []}' });
  await harness.untilReady('empty', revision);
  expect(await harness.configMap('empty')).toBeUndefined();
});

test('an object without a namespace is applied nowhere, and a retry that is refused again writes nothing', async () => {
  await harness.publish('homeless', { 'a.yaml': configMap('homeless') });
  await harness.apply('homeless', { targetNamespace: undefined });
  expect(await harness.untilNotReady('homeless', 'ReconciliationFailed')).toContain('namespace not specified');
  await harness.publish('homeless', { 'a.yaml': configMap('homeless', {}, { namespace: 'not-there-at-all' }) });
  await eventually(async () => {
    const message = await harness.untilNotReady('homeless', 'ReconciliationFailed');
    expect(message).toContain('namespace not-there-at-all does not exist: create it');
  });
  const ref = { name: 'homeless', namespace: harness.namespace };
  const retry = (): Promise<void> => harness.controllers.passes.after(ref, () => Promise.resolve());
  expect(await harness.writesDuring('homeless', retry)).toEqual([]);
  expect((await harness.read('homeless')).status?.inventory?.entries).toEqual([]);
});

function policyType(kind: string): ResourceType {
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    plural: plural.toLowerCase(),
    namespaced: false,
  };
}

test('a policy that denies one object of fifty keeps all of them as they are, until it lets it pass', async () => {
  const { host, namespace } = harness;
  const names = Array.from({ length: 50 }, (_, index) => `fifty-${index}`);
  const files = (n: string): Files => ({ 'all.yaml': names.map((name) => configMap(name, { n })).join('\n---\n') });
  await harness.publish('fifty', files('1'));
  await harness.apply('fifty');
  await harness.untilReady('fifty');
  const [rules, bindings] = [policyType('ValidatingAdmissionPolicy'), policyType('ValidatingAdmissionPolicyBinding')];
  const shared = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: namespace } };
  const policy: Unstructured = {
    ...{ ...shared, kind: rules.kind },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
      },
      validations: [
        { expression: "object.metadata.name != 'fifty-7' || object.data.n == '1'", message: 'not this one' },
      ],
    },
  };
  const binding: Unstructured = {
    ...{ ...shared, kind: bindings.kind },
    spec: { policyName: namespace, validationActions: ['Deny'] },
  };
  await host.create(rules, policy);
  await host.create(bindings, binding);
  try {
    const denied = { type: 'merge', body: { data: { n: '2' } } } as const;
    const ref = { name: 'fifty-7', namespace };
    await eventually(() =>
      expect(host.patch(configMapResource, ref, denied, { dryRun: true })).rejects.toThrow('not this one'),
    );
    const revision = await harness.publish('fifty', files('2'));
    const message = await harness.untilNotReady('fifty', 'ReconciliationFailed');
    expect(message).toContain(`ConfigMap/${namespace}/fifty-7`);
    expect(message).toContain('not this one');
    const { items } = await host.list<Unstructured>(configMapResource, { namespace });
    const all = items.filter(({ metadata }) => metadata.name.startsWith('fifty-'));
    expect(all.map((object) => object['data'])).toEqual(names.map(() => ({ n: '1' })));
    expect((await harness.read('fifty')).status?.inventory?.entries).toHaveLength(50);
    await host.delete(bindings, { name: namespace });
    await harness.untilReady('fifty', revision);
    expect((await harness.configMap('fifty-7'))?.data).toEqual({ n: '2' });
  } finally {
    for (const type of [bindings, rules]) await host.delete(type, { name: namespace });
  }
});
