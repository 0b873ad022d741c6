import { expect, test } from '@jest/globals';
import type { Artifact } from '#api/flux/common.js';
import { secretResource } from '#api/core.js';
import { buildManifests, type BuildPass } from '#controllers/kustomization/observe.js';
import { TransientError } from '#lib/errors.js';

/** A build of one object, whose group is a variable from a Secret, for a cluster that does not answer. */
function pass(): BuildPass {
  const text = 'apiVersion: ${group}/v1\nkind: Thing\nmetadata: {name: a}\n';
  const data = { group: Buffer.from('canary.example.com').toString('base64') };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data };
  const { signal } = new AbortController();
  return {
    kustomization: {
      ...{
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name: 'k', namespace: 'n' },
      },
      spec: {
        ...{ interval: '1m', prune: true, sourceRef: { kind: 'GitRepository', name: 'g' } },
        postBuild: { substituteFrom: [{ kind: 'Secret', name: 's' }] },
      },
    },
    artifact: {} as Artifact, // the build is given
    build: () => Promise.resolve({ key: 'k', text, saysEmpty: false, secrets: [] }),
    kube: { get: (type) => Promise.resolve((type === secretResource ? secret : undefined) as never) },
    offload: { run: async (task, input) => await task.run(input) },
    settings: { dependencyRequeueMs: 1 },
    context: {
      signal,
      member: { resourceType: (apiVersion) => Promise.reject(new TransientError(`no answer about ${apiVersion}`)) },
    },
    signal,
  };
}

test('a cluster that does not tell its kinds is reported without what Secrets hold', async () => {
  await expect(buildManifests(pass())).rejects.toThrow(/^no answer about \*{5}\/v1$/);
});
