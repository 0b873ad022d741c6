import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ManagedFieldsEntry } from '#api/meta.js';
import { NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  namespaceManager,
  namespaceWish,
  planNamespace,
  planWithdrawal,
} from '#controllers/helmrelease/model/namespace.js';

const MANAGER = 'fairlead/namespace-of/shop/web';

type Texts = Record<string, string>;

function owns(manager: string, keys: readonly string[], more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  const labels = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
  return { manager, operation: 'Apply', apiVersion: 'v1', fieldsV1: { 'f:metadata': { 'f:labels': labels } }, ...more };
}

function namespace(labels: Texts, ...managedFields: ManagedFieldsEntry[]): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod', uid: 'u', labels, managedFields } };
}

const wished = (labels: Texts): Parameters<typeof planNamespace>[1] => ({
  wish: { labels, annotations: {} },
  manager: MANAGER,
});

describe('the labels of a namespace', () => {
  const theirs = owns('kubectl-label', ['team'], { operation: 'Update' });
  it.each<[string, KubeObject, Texts, 'nothing' | 'apply' | 'refuse']>([
    ['are written where they are missing', namespace({}), { a: '1' }, 'apply'],
    ['are left alone once they are there and ours', namespace({ a: '1' }, owns(MANAGER, ['a'])), { a: '1' }, 'nothing'],
    ['become ours, too, where others set the same', namespace({ team: 'x' }, theirs), { team: 'x' }, 'apply'],
    [
      'are left alone where both set the same',
      namespace({ team: 'x' }, theirs, owns(MANAGER, ['team'])),
      { team: 'x' },
      'nothing',
    ],
    ['are refused where others set another value', namespace({ team: 'x' }, theirs), { team: 'y' }, 'refuse'],
    [
      'are refused where another release did',
      namespace({ a: '1' }, owns('fairlead/namespace-of/shop/api', ['a'])),
      { a: '2' },
      'refuse',
    ],
    ['are changed where the value was ours', namespace({ a: '1' }, owns(MANAGER, ['a'])), { a: '2' }, 'apply'],
    ['are written where nobody has the value', namespace({ a: '1' }), { a: '2' }, 'apply'],
    [
      'are taken back when one is too many',
      namespace({ a: '1', b: '1' }, owns(MANAGER, ['a', 'b'])),
      { a: '1' },
      'apply',
    ],
    [
      'of a subresource count for nobody',
      namespace({ a: '1' }, owns('somebody', ['a'], { subresource: 'status' })),
      { a: '2' },
      'apply',
    ],
  ])('%s', (_, live, labels, op) => {
    expect(planNamespace(live, wished(labels)).op).toBe(op);
  });

  it('are applied to this very namespace, with nothing but what is wanted', () => {
    const live = namespace({ team: 'x', old: '1' }, theirs, owns(MANAGER, ['old']));
    expect(planNamespace(live, wished({ a: '1' }))).toEqual({
      op: 'apply',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod', uid: 'u', labels: { a: '1' } } },
    });
  });

  it('name the label and who set it, but not its value, where they are refused', () => {
    const plan = planNamespace(namespace({ team: 'hidden' }, theirs), wished({ team: 'y' }));
    expect(plan).toMatchObject({
      op: 'refuse',
      why: expect.stringContaining('label team has another value, set by kubectl-label'),
    });
    expect(JSON.stringify(plan)).not.toContain('hidden');
  });

  it('are taken back as a whole, and then there is nothing left to do', () => {
    const live = namespace({ team: 'x', a: '1' }, theirs, owns(MANAGER, ['a']));
    const metadata = { name: 'prod', uid: 'u' };
    expect(planWithdrawal(live, MANAGER)).toMatchObject({ op: 'apply', object: { metadata } });
    expect(planWithdrawal(namespace({ team: 'x' }, theirs), MANAGER)).toEqual({ op: 'nothing' });
  });
});

describe('a release', () => {
  const release = (name: string, annotations: Texts = {}) => ({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name, namespace: 'shop', annotations },
    spec: { interval: '10m' },
  });

  it('has a field manager of its own, as long as servers take them', () => {
    expect(namespaceManager(release('web'))).toBe(MANAGER);
    const [one, other] = ['a', 'b'].map((end) => namespaceManager(release(`${'x'.repeat(200)}${end}`)));
    expect(one).not.toBe(other);
    expect(one!.length).toBeLessThanOrEqual(128);
  });

  it('wants nothing without the annotation, and says which one cannot be read', () => {
    expect(namespaceWish(release('web'))).toBeUndefined();
    expect(() => namespaceWish(release('web', { [NAMESPACE_METADATA_ANNOTATION]: '{' }))).toThrow(
      `metadata.annotations["${NAMESPACE_METADATA_ANNOTATION}"]: it is not a JSON object`,
    );
  });
});
