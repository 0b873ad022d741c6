import { expect, test } from '@jest/globals';
import { environmentLines } from '#cli/local/sandbox.js';
import type { Cluster, World } from '#sandbox/world.js';

function cluster(name: string): Cluster {
  return { name, server: 'https://127.0.0.1:1', kubeconfig: `/s/${name}.kubeconfig`, auditLog: `/s/${name}.log` };
}

const tools: World['tools'] = {
  etcd: '/c/etcd/etcd',
  'kube-apiserver': '/c/cp/kube-apiserver',
  'kube-controller-manager': '/c/cp/kube-controller-manager',
  'kube-scheduler': '/c/cp/kube-scheduler',
  kubectl: '/c/cp/kubectl',
  kwok: '/c/kwok/kwok',
  helm: "/it's/helm",
  kustomize: '/c/cp/kustomize',
  registry: '/c/registry/registry',
};

test('the environment of a sandbox is quoted for the shell', () => {
  const world = {
    dir: '/s',
    host: cluster('host'),
    members: [cluster('member-1')],
    gitUrl: 'http://127.0.0.1:2/apps.git',
    helmRepositoryUrl: 'http://127.0.0.1:3/charts',
    registry: '127.0.0.1:4',
    tools,
  };
  expect(environmentLines(world)).toEqual([
    `export KUBECONFIG='/s/host.kubeconfig:/s/member-1.kubeconfig'`,
    `export PATH='/s/bin:/c/cp:/it'\\''s':"$PATH"`,
    `export FAIRLEAD_GIT_URL='http://127.0.0.1:2/apps.git'`,
    `export FAIRLEAD_HELM_REPOSITORY='http://127.0.0.1:3/charts'`,
    `export FAIRLEAD_REGISTRY='127.0.0.1:4'`,
  ]);
});
