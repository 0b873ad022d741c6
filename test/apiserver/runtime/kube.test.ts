import { beforeAll, describe, expect, it } from '@jest/globals';
import { configMapResource, type UserInfo } from '#api/core.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { installCrds } from '#cli/install/crds.js';
import { listAll } from '#runtime/client/kube.js';
import { apiStatusOf, ConflictError, TransientError } from '#lib/errors.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace } from '../../support/world.js';

interface SelfSubjectReview extends KubeObject {
  status?: { userInfo?: UserInfo };
}

const selfSubjectReviewResource: ResourceType = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

describe('the client on a real API server', () => {
  const kube = useHost();
  let namespace: string;
  const configMap = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });

  beforeAll(async () => {
    namespace = await freshNamespace(kube, 'client');
  });

  it('creates, reads, replaces, patches and deletes', async () => {
    const made = await kube.create(configMapResource, configMap('crud', { a: '1' }));
    const replaced = await kube.update(configMapResource, { ...made, data: { a: '2' } });
    expect(replaced.data).toEqual({ a: '2' });
    const ref = { name: 'crud', namespace };
    await kube.patch(configMapResource, ref, { type: 'merge', body: { data: { b: '3' } } });
    await kube.patch(configMapResource, ref, { type: 'json', body: [{ op: 'remove', path: '/data/a' }] });
    expect((await kube.get<ConfigMap>(configMapResource, ref))?.data).toEqual({ b: '3' });
    expect(await kube.delete(configMapResource, ref, { uid: made.metadata.uid })).toBe(true);
    expect(await kube.delete(configMapResource, ref)).toBe(false);
    expect(await kube.get(configMapResource, ref)).toBeUndefined();
  });

  it('reads a path in the form that the caller asks for, else in the usual one', async () => {
    const form = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    expect(await kube.read('/apis', { accept: form })).toMatchObject({ kind: 'APIGroupDiscoveryList' });
    expect(await kube.read('/apis')).toMatchObject({ kind: 'APIGroupList' });
    expect(await kube.read('/readyz')).toBe('ok');
  });

  it('acts as a user with all that authorizers ask for, whatever characters he is made of', async () => {
    const user = { username: 'Ève', uid: '7', groups: ['dev', 'a,b'], extra: { 'example.org/clé': ['ü', 'b'] } };
    const question = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } };
    const asked = await kube.actingAs(user).create<SelfSubjectReview>(selfSubjectReviewResource, question);
    const groups = [...user.groups, 'system:authenticated'];
    expect(asked.status?.userInfo).toEqual({ ...user, groups });
  });

  it('applies on the server: the same object again changes nothing, another manager is a conflict', async () => {
    const object = configMap('apply', { a: '1' });
    const first = await kube.apply(configMapResource, object, { fieldManager: 'one' });
    const again = await kube.apply(configMapResource, object, { fieldManager: 'one' });
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const other = kube.apply(configMapResource, configMap('apply', { a: '2' }), { fieldManager: 'two' });
    await expect(other).rejects.toThrow(ConflictError);
    const forced = await kube.apply(configMapResource, configMap('apply', { a: '2' }), {
      fieldManager: 'two',
      force: true,
    });
    expect(forced.data).toEqual({ a: '2' });
  });

  it('refuses to apply what a schema does not have, and drops nothing unsaid', async () => {
    await installCrds(kube, { takeOver: false });
    const [apiVersion, kind, metadata] = [
      'source.toolkit.fluxcd.io/v1',
      'HelmRepository',
      { name: 'fields', namespace },
    ];
    const object = {
      apiVersion,
      kind,
      metadata,
      spec: { url: 'https://charts.invalid', interval: '1m', colour: 'red' },
    };
    const applied = kube.apply<KubeObject>(helmRepositoryResource, object, { fieldManager: 'one' });
    await expect(applied).rejects.toThrow('.spec.colour: field not declared in schema');
  });

  it('keeps its hands off in a dry run', async () => {
    await kube.create(configMapResource, configMap('dry', {}), { dryRun: true });
    expect(await kube.get(configMapResource, { name: 'dry', namespace })).toBeUndefined();
  });

  it('names the attempt and the message of the server', async () => {
    const bad = configMap('Not_A_Name', {});
    const refused = await kube.create(configMapResource, bad).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TransientError);
    expect(String(refused)).toContain(`cannot create ConfigMap ${namespace}/Not_A_Name`);
    expect(apiStatusOf(refused)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      causes: [expect.objectContaining({ field: 'metadata.name' })],
    });
  });

  it('distinguishes a stale write from a rejected one', async () => {
    const made = await kube.create(configMapResource, configMap('stale', {}));
    await kube.update(configMapResource, { ...made, data: { a: '1' } });
    await expect(kube.update(configMapResource, { ...made, data: { a: '2' } })).rejects.toThrow(ConflictError);
    const twice = await kube.create(configMapResource, configMap('stale', {})).catch((error: unknown) => error);
    expect(twice).not.toBeInstanceOf(ConflictError);
    expect(apiStatusOf(twice)).toMatchObject({ code: 409, reason: 'AlreadyExists' });
  });

  it('lists in pages, and metadata only where that is enough', async () => {
    await Promise.all(
      [1, 2, 3, 4, 5].map((n) => kube.create(configMapResource, configMap(`page-${n}`, { n: String(n) }))),
    );
    const { items } = await listAll<ConfigMap>(kube, configMapResource, { namespace, limit: 2 });
    expect(items.filter(({ metadata }) => metadata.name.startsWith('page-'))).toHaveLength(5);
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    const [light] = (await kube.list<ConfigMap>(configMapResource, { namespace, metadataOnly: true })).items;
    expect(light).not.toHaveProperty('data');
  });

  it('watches from where a list ended', async () => {
    const { resourceVersion } = await kube.list(configMapResource, { namespace });
    await kube.create(configMapResource, configMap('watched', {}));
    await kube.delete(configMapResource, { name: 'watched', namespace });
    const seen: string[] = [];
    for await (const event of kube.watch<ConfigMap>(configMapResource, {
      namespace,
      resourceVersion,
      timeoutSeconds: 60,
    })) {
      if (event.type === 'ADDED' || event.type === 'DELETED') seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['ADDED watched', 'DELETED watched']);
  });

  it('has connections for requests however many watches are open', async () => {
    const { resourceVersion } = await kube.list(configMapResource, { namespace });
    const over = new AbortController();
    const heard = Array.from({ length: 80 }, async () => {
      const query = { namespace, resourceVersion, timeoutSeconds: 60, signal: over.signal };
      for await (const event of kube.watch<ConfigMap>(configMapResource, query)) return event.type;
      return 'closed';
    });
    await kube.create(configMapResource, configMap('heard-by-all', {}));
    expect(new Set(await Promise.all(heard))).toEqual(new Set(['ADDED']));
    over.abort();
  });
});
