import { describe, expect, test } from '@jest/globals';
import { readSecretKey } from '#engine/member/kubeconfig-secret.js';
import { INHERITED } from '../../../support/inherited-names.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function read(data: Record<string, string> | undefined, key?: string): unknown {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 'eu' },
    ...(data && { data }),
  };
  return readSecretKey(secret, { namespace: 'shop', name: 'eu', key });
}

describe('the kubeconfig of a Secret', () => {
  test.each<[title: string, data: Record<string, string>, key: string | undefined, found: string]>([
    ['is in the key value', { 'value.yaml': base64('b'), value: base64('a') }, undefined, 'value'],
    ['is else in the key value.yaml', { 'value.yaml': base64('b'), other: '' }, undefined, 'value.yaml'],
    ['is in the key that is named', { value: base64('a'), admin: base64('c') }, 'admin', 'admin'],
  ])('%s', (_title, data, key, found) => expect(read(data, key)).toMatchObject({ key: found }));

  test.each(INHERITED)('is not in the key %s unless the Secret has it', (key) => {
    expect(() => read({ other: '' }, key)).toThrow(`key "${key}": the Secret does not have this key, but "other"`);
  });

  const wayOut = 'put the kubeconfig there, or name its key in kubeConfig.secretRef.key';
  const rows: Record<string, [data: Record<string, string> | undefined, key: string | undefined, message: string]> = {
    'of another key names that': [
      { 'eu.kubeconfig': base64('secret') },
      undefined,
      `key "value" or "value.yaml": the Secret does not have this key, but "eu.kubeconfig"; ${wayOut}`,
    ],
    'of many other keys names the first ones': [
      { d: '', c: '', b: '', a: '', e: '' },
      'admin',
      `key "admin": the Secret does not have this key, but "a", "b", "c" and 2 more; ${wayOut}`,
    ],
    'without any key says so': [
      undefined,
      'admin',
      `key "admin": the Secret does not have this key, and no other one; ${wayOut}`,
    ],
    'with an empty key says so': [
      { value: base64(' ') },
      undefined,
      'key "value": it is empty; put the kubeconfig there',
    ],
  };
  test('that was taken back names the grant that gave it, and never asks for a kubeconfig', () => {
    const annotations = {
      'gitops.kubesphere.io/cluster-grant': 'edge',
      'gitops.kubesphere.io/credential-account': 'tenants/deployer',
    };
    const labels = { 'gitops.kubesphere.io/cluster-credential': 'true' };
    const place = { namespace: 'shop', name: 'cluster-eu', key: undefined };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...place, annotations, labels } };
    expect(() => readSecretKey(secret, place)).toThrow(
      'it was removed, because namespace shop may not use it any more; it was given by ClusterGrant edge as ServiceAccount tenants/deployer: ask for that grant',
    );
    expect(readSecretKey({ ...secret, data: { value: base64('a') } }, place)).toMatchObject({ content: 'a' });
  });

  test.each(Object.entries(rows))('%s', (_title, [data, key, message]) => {
    expect(() => read(data, key)).toThrow(`kubeconfig in Secret shop/eu, ${message}`);
  });
});
