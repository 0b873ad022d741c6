import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, deploymentResource } from '#api/core.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { ignoredPaths } from '#engine/drift/model/ignored-paths.js';
import type { Member } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { applyStaged } from '#controllers/kustomization/staged-apply.js';
import type { Kube } from '#runtime/client/kube.js';
import { prepareCluster } from '../../support/harness.js';
import { useWorld } from '../../support/world.js';

const SERVICES: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };

let kube: Kube;
let namespace: string;
let member: Member;

beforeAll(async () => {
  ({ kube, namespace } = await prepareCluster((await useWorld()).host, 'ignored'));
  member = await createMembers({ host: kube }).get('host', namespace);
});

afterAll(() => kube.close());

interface Options {
  readonly force?: boolean;
  /** What others do after the look, and before the write. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Applies an object as a Kustomization that ignores these paths; what was refused. */
async function apply(object: Unstructured, paths: string[], { force = false, meanwhile }: Options = {}) {
  const { failures } = await applyStaged({
    holderOf: () => undefined,
    context: { member, fieldManager: 'kustomize-controller', namespace, signal: new AbortController().signal },
    ...{ owner: { name: 'site', namespace }, force, isFirst: false, objects: [object] },
    ignored: () => ignoredPaths(paths),
    known: new Set(),
    async beforeWrites() {
      await meanwhile?.();
    },
  });
  return failures.map(({ error }) => error.message);
}

function configMap(name: string, data: object): Unstructured {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

function web(name: string, containers: readonly object[], more: object = {}): Unstructured {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers, ...more } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec };
}

test('a port that the source drops takes nothing of another one with it', async () => {
  const service = (ports: object[]): Unstructured => ({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'dns', namespace } },
    spec: { type: 'NodePort', selector: { app: 'dns' }, ports },
  });
  const tcp = { name: 'dns', port: 53 };
  const paths = ['/spec/ports/0/nodePort', '/spec/ports/1/nodePort'];
  expect(await apply(service([tcp, { name: 'dns-udp', port: 53, protocol: 'UDP' }]), paths)).toEqual([]);
  const before = await kube.get<Unstructured>(SERVICES, { name: 'dns', namespace });
  expect(await apply(service([tcp]), paths)).toEqual([]);
  const after = await kube.get<Unstructured>(SERVICES, { name: 'dns', namespace });
  const { ports } = before?.['spec'] as { ports: object[] }; // as it was applied
  expect(after).toMatchObject({ spec: { ports: [ports[0]] } });
});

test('an ignored field that the source adds does not replace what somebody else sets meanwhile', async () => {
  expect(await apply(configMap('added', { n: '1' }), ['/data/ca'])).toEqual([]);
  const body = { data: { ca: 'real' } };
  const meanwhile = () => kube.patch(configMapResource, { name: 'added', namespace }, { type: 'merge', body });
  const desired = configMap('added', { n: '2', ca: 'placeholder' });
  expect(await apply(desired, ['/data/ca'], { meanwhile })).toEqual([]);
  const live = await kube.get<Unstructured>(configMapResource, { name: 'added', namespace });
  expect(live?.['data']).toEqual({ n: '2', ca: 'real' });
});

test('a new map with an ignored field that it needs is applied', async () => {
  const container = { name: 'app', image: 'app:1' };
  const paths = ['/spec/template/spec/securityContext/seccompProfile/type'];
  expect(await apply(web('needed', [container]), paths)).toEqual([]);
  const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
  expect(await apply(web('needed', [container], { securityContext }), paths)).toEqual([]);
  const live = await kube.get<Unstructured>(deploymentResource, { name: 'needed', namespace });
  expect(live).toMatchObject({ spec: { template: { spec: { securityContext } } } });
});

test('a path that means another item is refused, even after the owners of all fields are forgotten', async () => {
  const paths = ['/spec/template/spec/containers/0/image'];
  expect(await apply(web('moved', [{ name: 'app', image: 'app:1' }]), paths)).toEqual([]);
  const body = [
    { op: 'add', path: '/spec/template/spec/containers/0', value: { name: 'proxy', image: 'proxy:1' } },
    { op: 'replace', path: '/metadata/managedFields', value: [{}] },
  ];
  const ref = { name: 'moved', namespace };
  await kube.patch(deploymentResource, ref, { type: 'json', body }, { fieldManager: 'injector' });
  const containers = [
    { name: 'app', image: 'app:2' },
    { name: 'proxy', image: 'proxy:1' },
  ];
  const refusals = await apply(web('moved', containers), paths);
  expect(refusals).toEqual([expect.stringContaining('spec.ignore: /spec/template/spec/containers/0/image')]);
  const live = await kube.get<Unstructured>(deploymentResource, ref);
  expect(live).toMatchObject({
    spec: { template: { spec: { containers: [{ image: 'proxy:1' }, { name: 'app', image: 'app:1' }] } } },
  });
});

test('a map that the source drops takes its ignored field with it', async () => {
  expect(await apply(configMap('dropped', { size: '1' }), ['/data/size'])).toEqual([]);
  const { data, ...rest } = configMap('dropped', {});
  expect([await apply(rest, ['/data/size']), data]).toEqual([[], {}]);
  const live = await kube.get<Unstructured>(configMapResource, { name: 'dropped', namespace });
  expect(live?.['data']).toBeUndefined();
});
