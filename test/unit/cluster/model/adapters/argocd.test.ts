import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { argocd } from '#controllers/cluster/model/adapters/argocd.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';

function secretOf(data: Record<string, string>, annotations: Record<string, string> = {}): KubeObject {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
  const metadata = { namespace: 'argocd', name: 'eu', labels: { env: 'prod' }, annotations };
  return { apiVersion: 'v1', kind: 'Secret', metadata, ...{ type: 'Opaque', data: Object.fromEntries(encoded) } };
}

function clusterOf(data: Record<string, string>, annotations?: Record<string, string>): Cluster {
  return argocd.clusterOf(argocd.keep(secretOf(data, annotations)));
}

describe('a cluster Secret of Argo CD', () => {
  test('has its name, server and project as facts', () => {
    expect(clusterOf({ name: 'EU', server: 'https://eu:6443', project: 'shop', config: '{}' })).toMatchObject({
      id: { apiGroup: '', kind: 'Secret', namespace: 'argocd', name: 'eu' },
      labels: { env: 'prod' },
      facts: { name: 'EU', server: 'https://eu:6443', project: 'shop' },
      isHost: false,
      credential: { type: 'argocd-secret', namespace: 'argocd', name: 'eu' },
    });
  });

  test('is kept without its credential', () => {
    const kept = argocd.keep(secretOf({ config: '{"bearerToken":"secret"}', server: 'https://eu:6443' }));
    expect(kept).toMatchObject({ data: { server: expect.any(String) as unknown } });
    expect(kept).not.toHaveProperty('data.config');
  });

  test('is kept without a fact that is too long', () => {
    expect(clusterOf({ name: 'x'.repeat(10_000), project: 'shop' }).facts).toEqual({ project: 'shop' });
  });

  test.each(['https://kubernetes.default.svc', 'https://kubernetes.default.svc.cluster.local:443/'])(
    'for the cluster that Argo CD runs in has no credential: %s',
    (server) => expect(clusterOf({ server }).credential.type).toBe('none'),
  );

  test('is paused where Argo CD skips it', () => {
    expect(clusterOf({}, { 'argocd.argoproj.io/skip-reconcile': 'true' }).isPaused).toBe(true);
    expect(clusterOf({}).isPaused).toBe(false);
  });

  test('without data is a cluster without facts', () => expect(clusterOf({}).facts).toEqual({}));
});
