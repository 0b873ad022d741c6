import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyStages, deleteStages, isBuiltIn } from '#engine/apply/order.js';

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

function named(text: string): Named {
  const at = text.lastIndexOf('/');
  return { apiVersion: at < 0 ? 'v1' : text.slice(0, at), kind: text.slice(at + 1) };
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const WEBHOOK = `${ADMISSION}/ValidatingWebhookConfiguration`;
const CRD = 'apiextensions.k8s.io/v1/CustomResourceDefinition';

/** The stages as kinds. */
function kinds(stages: Named[][]): string[][] {
  return stages.map((stage) => stage.map(({ kind }) => kind));
}

describe('comes before', () => {
  test.each([
    ['a namespace', 'what is in it', 'Namespace', 'ConfigMap'],
    ['a CRD', 'its objects', CRD, 'example.com/v1/Widget'],
    ['a class', 'its users', 'scheduling.k8s.io/v1/PriorityClass', 'apps/v1/Deployment'],
    ['a quota', 'the pods it limits', 'ResourceQuota', 'Pod'],
    ['an account', 'its bindings', 'ServiceAccount', `${RBAC}/RoleBinding`],
    ['a role', 'its bindings', `${RBAC}/ClusterRole`, `${RBAC}/ClusterRoleBinding`],
    ['a binding', 'the workload that needs it', `${RBAC}/RoleBinding`, 'batch/v1/Job'],
    ['configuration', 'workloads', 'Secret', 'apps/v1/StatefulSet'],
    ['a volume', 'its claim', 'PersistentVolume', 'PersistentVolumeClaim'],
    ['a service', 'workloads', 'Service', 'apps/v1/Deployment'],
    ['a workload', 'its ingress', 'apps/v1/Deployment', 'networking.k8s.io/v1/Ingress'],
    ['a workload', 'the API that it serves', 'apps/v1/Deployment', 'apiregistration.k8s.io/v1/APIService'],
    ['a workload', 'custom resources, whose webhook it may be', 'apps/v1/Deployment', 'example.com/v1/Widget'],
    ['a custom resource', 'webhooks, which would judge it', 'example.com/v1/Widget', WEBHOOK],
    ['a workload', 'policies', 'apps/v1/Deployment', `${ADMISSION}/ValidatingAdmissionPolicy`],
  ])('%s: %s', (_first, _second, first, second) => {
    const objects = [named(second), named(first)];
    expect(applyStages(objects)).toEqual([[named(first)], [named(second)]]);
    expect(deleteStages(objects)).toEqual([[named(second)], [named(first)]]);
  });
});

test('a custom resource that shares its kind with a built-in one is a custom resource', () => {
  const [service, namespace] = [named('serving.knative.dev/v1/Service'), named('example.com/v1/Namespace')];
  expect(applyStages([service, namespace, named('apps/v1/Deployment')])).toEqual([
    [named('apps/v1/Deployment')],
    [service, namespace],
  ]);
});

test('within a stage the order is kept, and deleting reverses it', () => {
  const objects = ['Secret', 'ConfigMap', 'Namespace', 'Secret'].map(named);
  expect(kinds(applyStages(objects))).toEqual([['Namespace'], ['Secret', 'ConfigMap', 'Secret']]);
  expect(kinds(deleteStages(objects))).toEqual([['Secret', 'ConfigMap', 'Secret'], ['Namespace']]);
});

test('nothing makes no stage', () => expect([applyStages([]), deleteStages([])]).toEqual([[], []]));

test('every object is in exactly one stage, and deleting is the exact reverse', () => {
  const kind = fc.constantFrom('Namespace', 'Secret', 'Pod', WEBHOOK, CRD, 'example.com/v1/Widget', 'Event');
  fc.assert(
    fc.property(fc.array(kind), (texts) => {
      const objects = texts.map(named);
      const applied = applyStages(objects).flat();
      expect(new Set(applied)).toEqual(new Set(objects));
      expect(applied).toHaveLength(objects.length);
      expect(deleteStages(objects).flat()).toEqual([...applied].reverse());
    }),
  );
});

test.each([
  ['v1', true],
  ['apps/v1', true],
  ['networking.k8s.io/v1', true],
  ['example.com/v1', false],
  ['wardle.example.com/v1alpha1', false],
])('a kind of %s is one of Kubernetes itself: %s', (apiVersion, expected) => {
  expect(isBuiltIn({ apiVersion })).toBe(expected);
});
