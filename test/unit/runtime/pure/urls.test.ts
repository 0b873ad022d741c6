import { describe, expect, it } from '@jest/globals';
import { collectionPath, describeObject, objectPath, queryString } from '#controllers/runtime/pure/urls.js';

const POD = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
const NODE = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

describe('paths', () => {
  it('knows the core group, other groups, and all namespaces', () => {
    expect(collectionPath(POD, 'a')).toBe('/api/v1/namespaces/a/pods');
    expect(collectionPath(POD)).toBe('/api/v1/pods');
    expect(objectPath(DEPLOYMENT, { name: 'web', namespace: 'a' }, 'status')).toBe(
      '/apis/apps/v1/namespaces/a/deployments/web/status',
    );
    expect(objectPath(NODE, { name: 'n', namespace: 'ignored' })).toBe('/api/v1/nodes/n');
  });

  it('refuses a namespaced object without a namespace', () => {
    expect(() => objectPath(POD, { name: 'web' })).toThrow('Pod web is namespaced but has no namespace');
  });
});

it('leaves undefined parameters out and encodes the others', () => {
  expect(queryString({ labelSelector: 'a=b,c', limit: undefined, force: true })).toBe(
    '?labelSelector=a%3Db%2Cc&force=true',
  );
  expect(queryString({ limit: undefined })).toBe('');
});

it('names objects for messages', () => {
  expect(describeObject('Pod', { name: 'web', namespace: 'a' })).toBe('Pod a/web');
  expect(describeObject('Node', { name: 'n' })).toBe('Node n');
});
