import { describe, expect, test } from '@jest/globals';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '#api/meta.js';
import { CRD_LABELS, DEMO_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { DEMO_MANAGER, isOwnCrd, isOwnNamespace, markOf, selectorOfMark } from '#cli/local/mark.js';

const MARK = markOf('uid-1', 'fairlead-demo');
const DEMO = { namespace: 'fairlead-demo', mark: MARK };

function namespace(metadata: Partial<ObjectMeta>): KubeObject {
  const annotations = { [DEMO_UID_ANNOTATION]: 'own' };
  const own = { name: 'fairlead-demo', uid: 'own', labels: { ...MARK }, annotations };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { ...own, ...metadata } };
}

test('a demo finds what it created again', () => {
  expect(markOf('uid-1', 'fairlead-demo')).toEqual(MARK);
  expect(selectorOfMark(MARK)).toMatch(/^app\.kubernetes\.io\/instance=fairlead-demo-[a-z2-7]{10}$/);
});

describe('a namespace is that of the demo', () => {
  test.each<[string, Partial<ObjectMeta>, boolean]>([
    ['if it was created as its own', {}, true],
    ['if it was created for what it deploys', { name: 'fairlead-demo-shop' }, true],
    ['but not a copy of it', { name: 'fairlead-demo-copy', uid: 'other' }, false],
    ['nor one that was restored from a backup', { uid: 'other' }, false],
    ['nor one of another name', { name: 'shop' }, false],
    ['nor one whose name only begins like its own', { name: 'fairlead-demos' }, false],
    ['nor one without its annotation', { annotations: {} }, false],
    ['nor that of the same demo on another host', { labels: { ...markOf('uid-2', 'fairlead-demo') } }, false],
    ['nor that of another demo on the same host', { labels: { ...markOf('uid-1', 'other') } }, false],
    ['nor one without labels', { labels: {} }, false],
  ])('%s', (_, metadata, isOwn) => {
    expect(isOwnNamespace(namespace(metadata), DEMO)).toBe(isOwn);
  });
});

describe('a CRD is that of the demo', () => {
  const created = { manager: DEMO_MANAGER, operation: 'Update' };
  const served = { manager: 'kube-apiserver', operation: 'Update', subresource: 'status' };
  test.each<[string, ManagedFieldsEntry[], Record<string, string>, boolean]>([
    ['if only the demo wrote to it', [created, served], { ...CRD_LABELS, ...MARK }, true],
    [
      'but not once kubectl applied it',
      [created, { manager: 'kubectl-client-side-apply', operation: 'Update' }],
      { ...CRD_LABELS, ...MARK },
      false,
    ],
    [
      'nor once it was installed',
      [created, { manager: 'fairlead-install', operation: 'Apply' }],
      { ...CRD_LABELS, ...MARK },
      false,
    ],
    ['nor if nobody knows who wrote to it', [served], { ...CRD_LABELS, ...MARK }, false],
    ['nor without the label of Fairlead', [created], { ...MARK }, false],
    ['nor without the mark', [created], { ...CRD_LABELS }, false],
  ])('%s', (_, managedFields, labels, isOwn) => {
    const metadata = { name: 'applications.gitops.kubesphere.io', labels, managedFields };
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata };
    expect(isOwnCrd(crd, MARK)).toBe(isOwn);
  });
});
