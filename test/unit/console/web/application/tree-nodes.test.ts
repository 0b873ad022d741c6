import { describe, expect, it } from '@jest/globals';
import { isTroubled, nodeWith, treeNodes } from '#console/web/application/model/tree.js';
import type { ObjectView } from '#queries/answers/members.js';

function object(kind: string, name: string, state: ObjectView['state'], ...owns: readonly ObjectView[]): ObjectView {
  return { apiVersion: 'v1', kind, namespace: 'app', name, state, message: '', containers: [], owns };
}

const DEPLOYMENT = object(
  ...(['Deployment', 'web', 'Ready'] as const),
  object('Pod', 'a', 'Ready'),
  object('Pod', 'b', 'Failed'),
  object('Pod', 'c', 'Ready'),
);

describe('the nodes of a tree', () => {
  it('have what is worst first, also by what they own, else the order of the release', () => {
    const nodes = treeNodes([
      object('Service', 'web', 'Ready'),
      object('ConfigMap', 'web', 'Ready'),
      DEPLOYMENT,
      object('Ingress', 'web', 'Missing'),
      object('Job', 'web', 'Progressing'),
    ]);
    expect(nodes.map(({ object: { kind } }) => kind)).toEqual(['Deployment', 'Ingress', 'Job', 'Service', 'ConfigMap']);
    expect(nodes.map(({ worst }) => worst)).toEqual(['bad', 'bad', 'moving', 'good', 'good']);
    expect(nodes[0]?.children.map(({ key }) => key)).toEqual(['Pod/app/b', 'Pod/app/a', 'Pod/app/c']);
  });

  it('say how many below are in which state, at any depth', () => {
    const [node] = treeNodes([object('Kustomization', 'all', 'Ready', DEPLOYMENT)]);
    expect(node?.below).toEqual([
      { state: 'Failed', objects: 1 },
      { state: 'Ready', objects: 3 },
    ]);
  });

  it.each([
    ['bad', true],
    ['moving', true],
    ['idle', false],
    ['good', false],
  ] as const)('that are %s are looked at: %s', (worst, expected) => {
    expect(isTroubled({ worst })).toBe(expected);
  });

  it('are found by their key, which nothing but they have', () => {
    const nodes = treeNodes([object('Service', 'web', 'Ready'), DEPLOYMENT]);
    expect(nodeWith('Pod/app/c', nodes)?.object.name).toBe('c');
    expect(nodeWith('Pod/other/c', nodes)).toBeUndefined();
  });

  it('of thousands of pods begin with what fails', () => {
    const pods = Array.from({ length: 5_000 }, (_, index) =>
      object('Pod', `p-${index}`, index === 4_999 ? 'Failed' : 'Ready'),
    );
    const [node] = treeNodes([object('Deployment', 'web', 'Ready', ...pods)]);
    expect(node?.children[0]?.object.name).toBe('p-4999');
  });
});
