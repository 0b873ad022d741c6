import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MASK, withoutSecrets } from '#queries/views/without-secrets.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** What must not be shown. */
const HIDDEN = 'c2VjcmV0';
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { password: HIDDEN } };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { mode: 'fast' } };

test.each<[string, object]>([
  ['of data', secret],
  ['of stringData', { kind: 'Secret', stringData: { password: HIDDEN } }],
  ['of what is no map', { kind: 'Secret', data: HIDDEN, stringData: [HIDDEN] }],
  ['of maps in it', { kind: 'Secret', data: { tls: { key: HIDDEN } } }],
  ['of fields that no Secret has', { ...secret, Data: { password: HIDDEN }, sops: [HIDDEN] }],
  ['of what kubectl applied', { ...secret, data: {}, metadata: { annotations: { [LAST_APPLIED]: HIDDEN } } }],
  ['of annotations of other tools', { ...secret, data: {}, metadata: { annotations: { 'x.io/applied': HIDDEN } } }],
  ['of annotations that are none', { ...secret, data: {}, metadata: { annotations: HIDDEN } }],
  ['of metadata that is none', { kind: 'Secret', metadata: HIDDEN }],
  ['of a list', { kind: 'List', items: [configMap, secret] }],
  ['of a list of Secrets', { kind: 'SecretList', items: [{ metadata: { name: 'a' }, data: { a: HIDDEN } }, HIDDEN] }],
  ['of a field of another object', { kind: 'Work', spec: { manifests: [{ deep: secret }] } }],
  ['of another object that kubectl applied', { ...configMap, metadata: { annotations: { [LAST_APPLIED]: HIDDEN } } }],
])('shows nothing %s', (_, object) => {
  expect(JSON.stringify(withoutSecrets(object))).not.toContain(HIDDEN);
});

test('shows the names of a Secret, and what helm says of it', () => {
  const annotations = { 'helm.sh/hook': 'pre-install', 'meta.helm.sh/release-name': 'web' };
  const metadata = { name: 'a', namespace: 'shop', labels: { app: 'web' }, annotations };
  expect(withoutSecrets({ ...secret, type: 'Opaque', immutable: true, metadata })).toEqual({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', immutable: true, metadata, data: { password: MASK } },
  });
});

test.each<[string, object]>([
  ['an object', configMap],
  ['a reference to a Secret', { kind: 'Pod', spec: { valuesFrom: [{ kind: 'Secret', name: 'a', valuesKey: 'b' }] } }],
  ['a key that means something to JavaScript', { kind: 'ConfigMap', data: JSON.parse('{"__proto__": "x"}') as object }],
])('keeps %s', (_, object) => {
  expect(JSON.stringify(withoutSecrets(object))).toBe(JSON.stringify(object));
});

test('hides a Secret wherever it stands', () => {
  const around = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constant(secret),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('items', 'spec', 'data', 'kind'), tie('tree'), { maxKeys: 3 }),
    ),
  })).tree;
  fc.assert(
    fc.property(around, (tree) => {
      expect(JSON.stringify(withoutSecrets(tree))).not.toContain(HIDDEN);
    }),
  );
});
