import { expect, test } from '@jest/globals';
import { limitLines } from '#queries/plans/limits.js';
import { configMapResource, namespaceResource, secretResource } from '#api/core.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';

test('who may read everything is told nothing', () => expect(limitLines([])).toEqual([]));

test('each kind that is not read is named once, with the way out', () => {
  const limits = [
    { type: clusterGrantResource, only: undefined },
    { type: namespaceResource, only: undefined },
    { type: secretResource, only: 'shop' },
    { type: secretResource, only: 'shop' },
    { type: configMapResource, only: undefined, isAssumed: true },
  ];
  const wayOut = 'ask an administrator for that right, or to run this command.';
  expect(limitLines(limits)).toEqual([
    `You may not read clustergrants.gitops.kubesphere.io, namespaces: what depends on them looks as if there were none; ${wayOut}`,
    `You may not list secrets of all namespaces: those outside of shop look as if they did not exist; ${wayOut}`,
    'You may not list configmaps: those that are named are taken for existing.',
  ]);
});
