import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { configMapResource, deploymentResource, podResource, secretResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { applyObjects } from '#engine/apply/apply.js';
import type { ApplyRequest } from '#engine/apply/types.js';
import { deleteObjects } from '#engine/apply/delete.js';
import { targetOf } from '#engine/member/model/inventory.js';
import { waitForHealthy } from '#engine/health/wait.js';
import type { Member, Members } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { auditEntries, auditPosition, eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

const DAY_MS = 86_400_000;
const signal = new AbortController().signal;
let world: World;
let host: Kube;
let members: Members;
let member: Member;
let namespace: string;

async function putKubeconfig(name: string, content: string, key = 'value'): Promise<void> {
  const data = { [key]: Buffer.from(content).toString('base64') };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data };
  await host.apply(secretResource, secret, { fieldManager: 'test', force: true });
}

beforeAll(async () => {
  world = await useWorld();
  host = await kubeFor(world.host);
  namespace = await freshNamespace(host, 'engine');
  members = createMembers({ host });
  await putKubeconfig('member', await readFile(world.members[0]!.kubeconfig, 'utf8'));
  member = await members.get({ secretRef: { name: 'member' } }, namespace);
});

afterAll(async () => {
  await members.close();
  await host.close();
});

function object(apiVersion: string, kind: string, name: string, rest: object = {}): Unstructured {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

function apply(objects: Unstructured[], more: Pick<ApplyRequest, 'isRollOut'> = {}) {
  const request = { member, objects, fieldManager: 'helm-controller', defaultNamespace: namespace, signal };
  return applyObjects({ ...request, ...more });
}

function deployment(name: string, annotations: Record<string, string> = {}): Unstructured {
  const labels = { app: name };
  const template = {
    metadata: { labels, annotations },
    spec: { containers: [{ name: 'web', image: 'example.com/web', ports: [{ containerPort: 80 }] }] },
  };
  return object('apps/v1', 'Deployment', name, { spec: { replicas: 2, selector: { matchLabels: labels }, template } });
}

const space = (): Unstructured => object('v1', 'Namespace', namespace);

test('a batch with its namespace is created; applied again it writes nothing', async () => {
  const maps = Array.from({ length: 20 }, (_, i) => object('v1', 'ConfigMap', `map-${i}`, { data: { a: String(i) } }));
  const ports = [{ port: 80, targetPort: 80 }];
  const others = [
    object('v1', 'Secret', 's', { stringData: { a: 'b' } }),
    object('v1', 'ServiceAccount', 'sa'),
    object('v1', 'Service', 'svc', { spec: { selector: { app: 'web' }, ports } }),
    deployment('web'),
  ];
  const objects = [...maps, ...others, space()];
  const first = await apply(objects);
  expect(first.failures).toEqual([]);
  expect(new Set(first.changes.map(({ action }) => action))).toEqual(new Set(['created']));
  expect(
    await waitForHealthy({ member, objects, defaultNamespace: namespace, timeoutMs: 90_000, signal }),
  ).toBeUndefined();
  const since = await auditPosition(world.members[0]!);
  const second = await apply(objects);
  expect(second.changes.filter(({ action }) => action !== 'unchanged')).toEqual([]);
  const ours = (await auditEntries(world.members[0]!, since)).filter(({ userAgent }) => userAgent === 'fairlead');
  expect(ours.filter(({ requestURI }) => !requestURI.includes('dryRun=All'))).toEqual([]);
});

test('a roll-out is one request per object; the server leaves what does not change', async () => {
  const maps = ['a', 'b'].map((name) => object('v1', 'ConfigMap', `roll-${name}`, { data: { name } }));
  const first = await apply([space(), ...maps], { isRollOut: true });
  const since = await auditPosition(world.members[0]!);
  const second = await apply(maps, { isRollOut: true });
  expect(second).toMatchObject({ failures: [], changes: [{ action: 'configured' }, { action: 'configured' }] });
  const versions = (from: typeof first): string[] =>
    from.changes.flatMap(({ id, live }) =>
      live?.kind === 'ConfigMap' ? `${id} ${live.metadata.resourceVersion}` : [],
    );
  expect(versions(second).sort()).toEqual(versions(first).sort());
  const ours = (await auditEntries(world.members[0]!, since)).filter(({ requestURI }) => requestURI.includes('/roll-'));
  expect(ours.map(({ verb }) => verb)).toEqual(['patch', 'patch']);
});

test('one bad object among good ones fails alone', async () => {
  await apply([space()]);
  const bad = [object('v1', 'ConfigMap', 'Bad_Name'), object('example.com/v1', 'Nothing', 'n')];
  const { changes, failures } = await apply([...bad, object('v1', 'ConfigMap', 'good')]);
  expect(changes.map(({ subject }) => subject)).toEqual([`ConfigMap/${namespace}/good`]);
  expect(failures.map(({ error }) => (error as { reason?: string }).reason)).toEqual(['Invalid', 'NoKindMatch']);
});

test('an immutable field is refused, and its object stays', async () => {
  const map = (a: string) => object('v1', 'ConfigMap', 'fixed', { data: { a }, immutable: true });
  const { changes } = await apply([space(), map('1')]);
  expect((await apply([map('2')])).failures).toMatchObject([{ error: { reason: 'Invalid' } }]);
  expect((await apply([map('2')], { isRollOut: true })).failures).toMatchObject([{ error: { reason: 'Invalid' } }]);
  const live = await member.kube.get(configMapResource, { name: 'fixed', namespace });
  expect(live?.metadata.uid).toBe(changes.find(({ subject }) => subject.endsWith('/fixed'))?.live?.metadata.uid);
});

test('a fresh CRD and its objects go in one batch', async () => {
  const kind = `Thing${namespace.slice(-4)}`;
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `${plural}.engine.test`, {
    spec: { group: 'engine.test', scope: 'Namespaced', names, versions },
  });
  const objects = [object('engine.test/v1', kind, 'one'), crd, space()];
  expect((await apply(objects)).failures).toEqual([]);
  const targets = [targetOf(crd)];
  expect((await deleteObjects({ member, targets, signal })).changes).toMatchObject([{ action: 'deleted' }]);
});

test('a deployment whose pods never start times out with a message', async () => {
  const stuck = deployment('stuck', { 'sandbox.fairlead.dev/outcome': 'pending' });
  await apply([space(), stuck]);
  const problem = await waitForHealthy({
    member,
    objects: [stuck],
    defaultNamespace: namespace,
    timeoutMs: 2_000,
    signal,
  });
  expect(problem).toMatch(new RegExp(`^timeout waiting for: \\[Deployment/${namespace}/stuck: InProgress: `));
});

describe('a wait that fails says why the pods are not ready', () => {
  const waitOnce = (object: Unstructured, as: Member): Promise<string | undefined> =>
    waitForHealthy({ member: as, objects: [object], defaultNamespace: namespace, timeoutMs: 2_000, signal });

  /** Waits again until the pods have come as far as the message says. */
  const failsWith = (object: Unstructured, message: RegExp): Promise<void> =>
    eventually(async () => {
      expect(await waitOnce(object, member)).toMatch(message);
    });

  test('they crash', async () => {
    const crashing = deployment('crashing', { 'sandbox.fairlead.dev/outcome': 'fail' });
    await apply([space(), crashing]);
    await failsWith(crashing, /: Pod\/[\w-]+\/crashing-\w+-\w+: container web: restarted after exit code 1\]$/);
  });

  test('they have no node', async () => {
    const lost = deployment('lost');
    const { template } = lost['spec'] as { template: { spec: { nodeSelector?: object } } };
    template.spec.nodeSelector = { 'example.com/planet': 'mars' };
    await apply([space(), lost]);
    await failsWith(lost, /: Pod\/[\w-]+\/lost-\w+-\w+: Unschedulable: 0\/\d+ nodes are available: /);
  });

  test('they are refused', async () => {
    const full = `${namespace}-full`;
    const within = (each: Unstructured) => ({ ...each, metadata: { ...each.metadata, namespace: full } });
    const quota = within(object('v1', 'ResourceQuota', 'none', { spec: { hard: { 'count/pods': '0' } } }));
    await apply([object('v1', 'Namespace', full), quota]);
    // A quota refuses nothing before the server has counted what is there.
    const pod = within(
      object('v1', 'Pod', 'probe', { spec: { containers: [{ name: 'web', image: 'example.com/x' }] } }),
    );
    const refusal = () => member.kube.create(podResource, pod, { fieldManager: 'test', dryRun: true });
    await eventually(() => expect(refusal()).rejects.toThrow('exceeded quota: none'));
    const refused = within(deployment('refused'));
    await apply([refused]);
    await failsWith(refused, /: FailedCreate: pods "refused-\w+-\w+" is forbidden: exceeded quota: none/);
  });

  test('unless they may not be read', async () => {
    const hidden = deployment('hidden', { 'sandbox.fairlead.dev/outcome': 'fail' });
    await apply([space(), hidden]);
    const group = 'rbac.authorization.k8s.io';
    const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] }];
    const binding = {
      roleRef: { apiGroup: group, kind: 'Role', name: 'deployer' },
      subjects: [{ apiGroup: group, kind: 'User', name: 'deployer' }],
    };
    await apply([
      object(`${group}/v1`, 'Role', 'deployer', { rules }),
      object(`${group}/v1`, 'RoleBinding', 'deployer', binding),
    ]);
    const kube = member.kube.actingAs('deployer');
    const resourceType = (...args: Parameters<Member['resourceType']>) => member.resourceType(...args);
    await failsWith(hidden, /: container web: restarted after exit code 1\]$/);
    await eventually(() => kube.get(deploymentResource, { name: 'hidden', namespace }));
    const blind = { ...member, kube, resourceType };
    expect(await waitOnce(hidden, blind)).toMatch(/hidden: InProgress: [^:]+: \d\/2\]$/);
  });
});

test('a pod that keeps crashing ends the wait at once, and is reported first', async () => {
  const spec = { containers: [{ name: 'main', image: 'example.com/x' }] };
  const annotations = { 'sandbox.fairlead.dev/outcome': 'fail' };
  const broken = { ...object('v1', 'Pod', 'broken', { spec }), metadata: { name: 'broken', annotations } };
  const stuck = deployment('waiting', { 'sandbox.fairlead.dev/outcome': 'pending' });
  await apply([space(), broken, stuck]);
  const wait = { member, objects: [stuck, broken], defaultNamespace: namespace, timeoutMs: 60_000, signal };
  expect(await waitForHealthy(wait)).toMatch(
    new RegExp(
      `^failed early due to stalled resources: \\[Pod/${namespace}/broken: Failed: .*Deployment/${namespace}/waiting`,
    ),
  );
});

test('what is missing or may not be deleted is skipped', async () => {
  await apply([space(), object('v1', 'ConfigMap', 'kept')]);
  const at = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace });
  const mayDelete = ({ metadata }: Unstructured): boolean => metadata.name !== 'kept';
  const { changes } = await deleteObjects({ member, targets: [at('kept'), at('missing')], signal, mayDelete });
  expect(changes.map(({ action }) => action)).toEqual(['skipped', 'skipped']);
});

test('capabilities are those of the member', async () => {
  const { kubeVersion, apiVersions } = await member.capabilities();
  expect(kubeVersion).toMatch(/^v1\.\d+\.\d+/);
  expect(apiVersions).toEqual(expect.arrayContaining(['v1', 'apps/v1', 'apps/v1/Deployment']));
});

test('a rotated kubeconfig makes a new client, the same bytes keep it', async () => {
  const content = await readFile(world.members[1]!.kubeconfig, 'utf8');
  await putKubeconfig('rotated', content);
  const get = () => members.get({ secretRef: { name: 'rotated' } }, namespace);
  const first = await get();
  expect(await get()).toBe(first);
  await putKubeconfig('rotated', await readFile(world.members[0]!.kubeconfig, 'utf8'));
  expect((await get()).kube.server).toBe(world.members[0]!.server);
});

test('a pass that began before a rotation may last as long as it likes', async () => {
  const content = await readFile(world.members[0]!.kubeconfig, 'utf8');
  await putKubeconfig('lasting', content);
  const own = createMembers({ host });
  const get = () => own.get({ secretRef: { name: 'lasting' } }, namespace);
  const before = await get();
  const isServed = () => expect(before.kube.read('/version')).resolves.toMatchObject({ major: '1' });
  await isServed();
  await putKubeconfig('lasting', `${content}# rotated\n`);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  try {
    expect(await get()).not.toBe(before);
    jest.advanceTimersByTime(DAY_MS);
  } finally {
    jest.useRealTimers();
  }
  await isServed();
  await own.close();
});

test('a client that was unused for a day is dropped when another one is created', async () => {
  const content = await readFile(world.members[0]!.kubeconfig, 'utf8');
  const names = ['idle', 'busy', 'late'];
  await Promise.all(names.map((name) => putKubeconfig(name, content)));
  const own = createMembers({ host });
  const get = (name: string) => own.get({ secretRef: { name } }, namespace);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  try {
    const [idle, busy] = [await get('idle'), await get('busy')];
    jest.advanceTimersByTime(DAY_MS / 2);
    expect(await get('busy')).toBe(busy);
    jest.advanceTimersByTime(DAY_MS / 2 + 1);
    await get('late');
    expect([(await get('idle')) === idle, (await get('busy')) === busy]).toEqual([false, true]);
  } finally {
    jest.useRealTimers();
  }
  await own.close();
});

test.each([
  ['no YAML', 'secret: [s3cr3t', 'KubeConfigInvalid'],
  ['no context', 'clusters: []', 'KubeConfigInvalid'],
  ['empty', ' ', 'KubeConfigInvalid'],
])('a kubeconfig with %s is refused without showing it', async (_name, content, reason) => {
  await putKubeconfig('broken', content);
  const error: unknown = await members.get({ secretRef: { name: 'broken' } }, namespace).catch((e: unknown) => e);
  expect(error).toMatchObject({ reason, message: expect.stringContaining(`${namespace}/broken`) });
  expect(String(error)).not.toContain('s3cr3t');
});

test('a missing Secret and a missing key are distinguished', async () => {
  await expect(members.get({ secretRef: { name: 'none' } }, namespace)).rejects.toMatchObject({
    reason: 'KubeConfigSecretNotFound',
  });
  await expect(members.get({ secretRef: { name: 'member', key: 'k' } }, namespace)).rejects.toMatchObject({
    reason: 'KubeConfigInvalid',
  });
});
