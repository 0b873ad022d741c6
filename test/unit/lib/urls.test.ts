import { describe, expect, it } from '@jest/globals';
import { TerminalError } from '#lib/errors.js';
import { collectionPath, describeObject, groupVersionPath, objectPath, queryString } from '#lib/net/urls.js';

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

  it.each(['', '.', '..', 'web/exec', '../secrets/token', 'web%2Fexec'])('refuses the name "%s"', (name) => {
    const paths = [
      () => objectPath(POD, { name, namespace: 'a' }),
      () => objectPath(NODE, { name }),
      () => collectionPath(POD, name),
    ];
    for (const path of paths) expect(path).toThrow(TerminalError);
    for (const path of paths) expect(path).toThrow(`"${name}" is no name of a`);
  });

  it('keeps names that only need to be encoded', () => {
    const role = { ...NODE, group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', plural: 'clusterroles' };
    expect(objectPath(role, { name: 'system:a b?' })).toMatch(/\/clusterroles\/system%3Aa%20b%3F$/);
    expect(objectPath(NODE, { name: '...' })).toBe('/api/v1/nodes/...');
  });

  it.each([
    ['v1', '/api/v1'],
    ['apps/v1', '/apis/apps/v1'],
    ['helm.toolkit.fluxcd.io/v2', '/apis/helm.toolkit.fluxcd.io/v2'],
  ])('knows where %s is served', (apiVersion, path) => expect(groupVersionPath(apiVersion)).toBe(path));

  it.each(['', '/v1', '..', '../v1', 'a/v1/namespaces', 'a/v1?x', 'a/..', 'v1/../../api', 'A/v1'])(
    'takes "%s" for no apiVersion',
    (apiVersion) => expect(groupVersionPath(apiVersion)).toBeUndefined(),
  );
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
