import { expect, test } from '@jest/globals';
import { stagesOf } from '#controllers/kustomization/model/stages.js';

const KINDS = [
  ['apps/v1', 'Deployment'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['example.com/v1', 'Namespace'],
  ['v1', 'ConfigMap'],
  ['v1', 'Service'],
  ['storage.k8s.io/v1', 'StorageClass'],
  ['v1', 'Namespace'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['example.com/v1', 'Sail'],
].map(([apiVersion = '', kind = '']) => ({ apiVersion, kind }));

test('definitions come first, then classes, then the rest, in the order of Flux', () => {
  const stages = stagesOf(KINDS).map(({ groups, isAwaited }) => ({
    isAwaited,
    kinds: groups.map((group) => group.map(({ kind }) => kind)),
  }));
  expect(stages).toEqual([
    { isAwaited: true, kinds: [['CustomResourceDefinition'], ['Namespace'], ['ClusterRole']] },
    { isAwaited: true, kinds: [['StorageClass']] },
    {
      isAwaited: false,
      kinds: [['Namespace'], ['ConfigMap'], ['Service'], ['Deployment'], ['Sail'], ['ValidatingWebhookConfiguration']],
    },
  ]);
});

test('there are no stages without objects', () => {
  expect(stagesOf([])).toEqual([]);
});
