import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fairlead, helm, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import type { TreeView } from '#queries/answers/members.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { as, everyFormat, expectGolden } from '../../support/golden.js';
import { prepareCluster } from '../../support/harness.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { applyManifest } from '../../support/kubectl.js';
import { limitedUser } from '../../support/limited-user.js';
import { startTcpProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, makeNamespace, kubeFor, useWorld } from '../../support/world.js';

const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: scratch\nversion: 1.2.3\n',
  'templates/objects.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: scratch}
data: {color: red}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: '{{ .Release.Namespace }}:scratch'}
`,
};

const APPLICATIONS = 'applications.gitops.kubesphere.io';
const RELEASES = 'helmreleases.helm.toolkit.fluxcd.io';

/** What an engine that does not run here has written: its children, and what it deployed, are those of the test. */
describe('fairlead tree, events and logs', () => {
  let world: World;
  let kube: Kube;
  let namespace: string;
  let silent: TcpProxy;

  const run = (...args: string[]): Promise<string> => fairlead(world.host, ...args, '-n', namespace);

  const report = async (object: object, status: object): Promise<void> => {
    const { kind, metadata } = object as { kind: string; metadata: { name: string } };
    await applyManifest(world, world.host, object);
    const type = kind === 'Application' ? APPLICATIONS : RELEASES;
    const flags = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await kubectl(world, world.host, '-n', namespace, 'patch', type, metadata.name, ...flags);
  };

  /** A HelmRelease for the cluster of a kubeconfig Secret. */
  const release = (name: string, secret: string | undefined, status: object): Promise<void> => {
    const spec = {
      ...{ interval: '10m', targetNamespace: namespace, storageNamespace: namespace },
      chart: { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } },
      ...(secret === undefined ? {} : { kubeConfig: { secretRef: { name: secret } } }),
    };
    const metadata = { name, namespace };
    return report({ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec }, status);
  };

  const inventory = (...objects: readonly string[]): object => ({
    inventory: { entries: objects.map((id) => ({ id, v: 'v1' })) },
  });

  const treeOf = async (...args: string[]): Promise<TreeView> =>
    JSON.parse(await run('tree', 'web', '-o', 'json', ...args)) as TreeView;

  beforeAll(async () => {
    world = await useWorld();
    ({ kube, namespace } = await prepareCluster(world.host, 'tree'));
    const [member] = world.members;
    if (member === undefined) throw new Error('a world has members');
    const onMember = await kubeFor(member);
    await makeNamespace(onMember, namespace).finally(() => onMember.close());
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'example.com/web' }] } };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    await applyManifest(world, member, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec,
    });
    const { port } = new URL(member.server);
    silent = await startTcpProxy({ host: '127.0.0.1', port: Number(port) });
    silent.partition();
    await giveKubeconfig(kube, { name: 'eu', namespace }, member.kubeconfig);
    const file = path.join(world.dir, `${namespace}-silent.kubeconfig`);
    await writeFile(file, JSON.stringify(silentKubeconfig(`https://127.0.0.1:${silent.port}`)));
    await giveKubeconfig(kube, { name: 'silent', namespace }, file);
    await release('web-eu', 'eu', inventory(`${namespace}_web_apps_Deployment`, `${namespace}_gone__ConfigMap`));
    await release('web-silent', 'silent', inventory(`${namespace}_web_apps_Deployment`));
    await helmRelease();
    const rows = ['eu', 'silent', 'host'].map((cluster) => ({
      ...{ name: cluster, cluster, namespace, release: 'web', state: 'Ready' },
      child: { kind: 'HelmRelease', name: `web-${cluster}` },
    }));
    const app = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
    const metadata = { name: 'web', namespace };
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec: app };
    await report(object, { destinations: rows });
  });

  /** Names the server of the proxy, with the authority of nobody: it never comes to that. */
  function silentKubeconfig(server: string): object {
    const clusters = [{ name: 'c', cluster: { server } }];
    const users = [{ name: 'u', user: { token: 'nobody' } }];
    const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
    return { apiVersion: 'v1', kind: 'Config', 'current-context': 'c', clusters, users, contexts };
  }

  /** A real release of helm on the host, whose HelmRelease has no inventory, as with Flux before 2.8. */
  async function helmRelease(): Promise<void> {
    const folder = path.join(world.dir, namespace, 'scratch');
    await mkdir(path.join(folder, 'templates'), { recursive: true });
    for (const [file, text] of Object.entries(CHART)) await writeFile(path.join(folder, file), text);
    await helm(world, world.host, 'install', 'scratch', folder, '-n', namespace);
    const snapshot = {
      ...{ name: 'scratch', namespace, version: 1, status: 'deployed', digest: 'sha256:0', configDigest: 'sha256:0' },
      ...{ chartName: 'scratch', chartVersion: '1.2.3' },
      ...{ firstDeployed: '2026-01-01T00:00:00Z', lastDeployed: '2026-01-01T00:00:00Z' },
    };
    await release('web-host', undefined, { storageNamespace: namespace, history: [snapshot] });
  }

  afterAll(async () => {
    await silent.close();
    await kubectl(world, world.host, 'delete', 'clusterrole', `${namespace}:scratch`);
    await kube.close();
  });

  it('shows pods of a member, what is missing there, and a release of helm without inventory', async () => {
    const [eu] = await eventually(async () => {
      const { destinations } = await treeOf('--cluster', 'eu');
      expect(destinations[0]?.objects[0]?.owns).toHaveLength(2);
      return destinations;
    });
    expect(eu?.objects[0]?.owns.every(({ kind, name }) => kind === 'Pod' && name.startsWith('web-'))).toBe(true);
    expect(eu?.objects[1]).toMatchObject({ kind: 'ConfigMap', name: 'gone', state: 'Missing' });
    const { destinations } = await treeOf('--cluster', 'host');
    expect(destinations[0]).toMatchObject({ problem: '' });
    expect(destinations[0]?.objects).toMatchObject([
      { kind: 'ConfigMap', namespace, name: 'scratch', state: 'Ready' },
      { kind: 'ClusterRole', namespace: '', name: `${namespace}:scratch`, state: 'Ready' },
    ]);
  });

  it('says that a cluster does not answer, and shows the others', async () => {
    const begun = performance.now();
    const { destinations } = await treeOf();
    expect(performance.now() - begun).toBeLessThan(30_000);
    const [eu, hanging] = destinations;
    expect(eu?.problem).toBe('');
    expect(hanging?.problem).toMatch(/no answer in time|cannot|did not respond/);
    expect(await run('tree', 'web', '--cluster', 'silent')).toContain('not read: ');
  });

  it('reads nothing that the user may not read himself', async () => {
    const get = [APPLICATIONS, RELEASES];
    const kubeconfig = await limitedUser(world, namespace, { name: 'reader', list: [APPLICATIONS], get });
    const text = await fairlead({ ...world.host, kubeconfig }, 'tree', 'web', '-n', namespace, '--cluster', 'eu');
    expect(text).toMatch(/not read: .*secrets "eu" is forbidden/);
    expect(text).not.toContain('Deployment');
  });

  it('names the clusters that there are', async () => {
    const says = '--cluster us: the Application has no destination on it; choose one of eu, silent, host';
    for (const verb of ['tree', 'events', 'logs'])
      await expect(run(verb, 'web', '--cluster', 'us')).rejects.toThrow(says);
  });

  it('shows the events of the Application and of what it deployed, the newest last', async () => {
    const involvedObject = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'web', namespace };
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'web.1', namespace }, involvedObject };
    const said = { type: 'Normal', reason: 'Ready', message: 'all is well', lastTimestamp: '2026-01-01T00:00:00Z' };
    await applyManifest(world, world.host, { ...event, ...said, count: 1 });
    const output = JSON.parse(await run('events', 'web', '--cluster', 'eu', '-o', 'json')) as { events: object[] };
    expect(output.events[0]).toMatchObject({ cluster: '', object: 'Application/web', message: 'all is well' });
    expect(output.events).toContainEqual(
      expect.objectContaining({ cluster: 'eu', object: 'Deployment/web', reason: 'ScalingReplicaSet' }),
    );
    expect(output.events).toContainEqual(
      expect.objectContaining({ object: expect.stringMatching(/^ReplicaSet\/web-/) }),
    );
  });

  it('compares what helm rendered with what is there, as kubectl diff does', async () => {
    const change = JSON.stringify({ data: { color: 'blue' } });
    const drift = () =>
      kubectl(world, world.host, '-n', namespace, 'patch', 'configmap', 'scratch', '--type=merge', '-p', change);
    const line = 'diff web --live --cluster host';
    const [first, ...formats] = everyFormat(line);
    if (first === undefined) throw new Error('there is no format');
    const runs = [{ line }, { ...first, before: drift }, ...formats, { line: 'diff web --live --cluster us' }];
    const normal = [[new RegExp(namespace, 'g'), as('my-project-')] as const];
    const flags = ['--kubeconfig', world.host.kubeconfig, '-n', namespace];
    await expectGolden('test/apiserver/cli/live-diff.golden', runs, { flags, normal, inOrder: true });
  });

  it('selects logs, and passes on what the server of the pod says', async () => {
    await expect(run('logs', 'web', '--cluster', 'eu', '--pod', 'x')).rejects.toThrow(
      /--pod x: it has only web-.*, web-/,
    );
    await expect(run('logs', 'web', '--cluster', 'eu', '-c', 'x')).rejects.toThrow('--container x: there are only web');
    await expect(run('logs', 'web', '--cluster', 'host')).rejects.toThrow('it has no pods that can be read');
    const [member] = world.members;
    if (member === undefined) throw new Error('a world has members');
    const { items } = await kubectlJson<{ items: { metadata: { name: string } }[] }>(
      world,
      member,
      'pods',
      '-n',
      namespace,
    );
    const pod = items[0]?.metadata.name ?? '';
    // No kubelet runs: the API server says so.
    const refused = run('logs', 'web', '--cluster', 'eu', '--pod', pod, '--tail', '1');
    await expect(refused).rejects.toThrow(new RegExp(`not read: eu ${pod}/web: .+`));
  });
});
