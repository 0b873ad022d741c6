import { expect, test } from '@jest/globals';
import { purgeLines } from '#cli/install/purge.js';

test('a plan names the context, everything that goes, and what stays', () => {
  const lines = purgeLines({
    context: 'prod',
    server: 'https://prod.example:6443',
    controller: 'fairlead-system/fairlead-controller',
    crds: [
      { name: 'applications.gitops.kubesphere.io', objects: 1 },
      { name: 'helmreleases.helm.toolkit.fluxcd.io', objects: 2 },
      { name: 'unserved.helm.toolkit.fluxcd.io', objects: undefined },
    ],
    detached: 2,
  });
  expect(lines).toEqual([
    '--purge removes from https://prod.example:6443 (context prod):',
    '  Deployment fairlead-system/fairlead-controller, its permissions, and its namespace unless others use it',
    '  CRD applications.gitops.kubesphere.io with 1 object',
    '  CRD helmreleases.helm.toolkit.fluxcd.io with 2 objects',
    '  CRD unserved.helm.toolkit.fluxcd.io with all its objects',
    '  the owner references of 2 HelmReleases and Kustomizations',
    'Helm releases and their objects stay.',
  ]);
});

test('what is not there is not mentioned', () => {
  const lines = purgeLines({ context: 'c', server: 'https://s', crds: [], detached: 0 });
  expect(lines).toEqual(['--purge removes from https://s (context c):', 'Helm releases and their objects stay.']);
});
