import { expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import type { KubeObject } from '#api/meta.js';
import { placedIn, targetsOf } from '#cli/local/model/placement.js';

function application(namespace: string, deploy: string): KubeObject {
  const text = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata: { name: web, namespace: ${namespace} }
spec:
  fluxApp:
    spec:
      source: { sourceRef: { kind: GitRepository, name: git, namespace: ${namespace} } }
      config: { helmRelease: { deploy: ${deploy} } }
`;
  return load(text) as KubeObject;
}

const STAGE = 'kubeConfig: { secretRef: { name: stage } }';

test('a sample goes to namespaces that begin with the one of the demo', () => {
  const before = application('project', `[{ destination: { targetNamespace: app } }, { destination: { ${STAGE} } }]`);
  const copy = structuredClone(before);
  expect(placedIn('demo', before)).toEqual(
    application(
      'demo',
      `[{ destination: { targetNamespace: demo-app } }, { destination: { ${STAGE}, targetNamespace: demo-default } }]`,
    ),
  );
  expect(before).toEqual(copy);
});

test('each namespace of each cluster is a target once', () => {
  const entries = `[{ destination: { targetNamespace: a } }, { destination: { ${STAGE}, targetNamespace: a } }, { destination: { targetNamespace: a } }]`;
  const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };
  expect(targetsOf([application('demo', entries), secret])).toEqual([
    { secret: undefined, namespace: 'a' },
    { secret: 'stage', namespace: 'a' },
  ]);
});
