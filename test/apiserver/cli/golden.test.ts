import { beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fairlead, kubectl } from '#bench/scenarios/shell.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';
import { as, everyFormat, expectGolden, type GoldenOptions, type Run } from '../../support/golden.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { applyManifest } from '../../support/kubectl.js';
import { eventually, kubeFor, makeNamespace, useWorld } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { putCluster } from '../application/harness.js';
import { useTemplates } from '../template/harness.js';

const STAGES = [
  { name: 'canary', clusters: { names: ['member'] } },
  { name: 'rest', approval: true },
];
/** No terminal ever gets it as it is. */
const ATTACK = 'Helm upgrade failed: <b>bold</b>\u001b[31m red \u202e nekorb \u0007 timeout waiting for the Deployment';

/** An Application as somebody has it in a file. */
const FILES = `apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata: {name: filed}
spec:
  kind: fluxcd
  revisionHistoryLimit: 2
  fluxApp:
    spec:
      source: {sourceRef: {kind: HelmRepository, name: charts}}
      config:
        helmRelease:
          chart: {chart: podinfo, version: "6.7.1"}
          deploy:
            - destination: {targetNamespace: filed}
              values: {replicas: 2}
            - destination: {targetNamespace: filed, kubeConfig: {secretRef: {name: eu}}}
`;

const TEMPLATE = `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {replicas: "{{ .Values.replicas | default 1 }}", attack: "\u202e red \u001b[31m"}
`;

/** Returns a folder with the chart that FILES name. */
async function writeChart(folder: string): Promise<string> {
  await mkdir(path.join(folder, 'podinfo/templates'), { recursive: true });
  await writeFile(path.join(folder, 'podinfo/Chart.yaml'), 'apiVersion: v2\nname: podinfo\nversion: 6.7.1\n');
  await writeFile(path.join(folder, 'podinfo/templates/config.yaml'), TEMPLATE.replace('\u001b', '\\e'));
  return folder;
}

/** In the formats that are not the default. */
function inFormats(run: Run): Run[] {
  return ['wide', 'json', 'yaml'].map((format) => ({ ...run, line: `${run.line} -o ${format}` }));
}

/** The built `fairlead`, next to the controllers; what an engine would do is done by the test. */
describe('what every verb prints', () => {
  const on = useTemplates();
  let world: World;
  let member: Cluster;
  let namespace: string;
  let options: GoldenOptions;

  const put = (image: string, annotations: Record<string, string> = {}) => {
    const values = { image };
    const entries = [
      deploy('prod', 'member', { values }),
      deploy('prod', 'us', { values }),
      deploy('prod', undefined, { values }),
    ];
    const helmRelease = { chart: { chart: 'podinfo', version: '6.7.1' }, deploy: entries };
    const fluxApp = { spec: { source: SOURCE, config: { helmRelease } } };
    const wanted = on.applications.wanted('shop', entries);
    const metadata = { ...wanted.metadata, annotations };
    const rollout = { stages: STAGES };
    return on.applications.apply({
      ...wanted,
      metadata,
      spec: { ...wanted.spec, revisionHistoryLimit: 5, rollout, fluxApp },
    });
  };
  const childFor = (cluster: string): Promise<Child> =>
    eventually(async () => {
      const found = (await on.applications.childrenOf('shop')).find(({ metadata }) => metadata.name.includes(cluster));
      if (found === undefined) throw new Error(`no child for ${cluster} yet`);
      return found;
    });
  const statusOf = async (child: Child, status: object): Promise<void> => {
    const { resource } = backendOf(child);
    await on.applications.kube.patch(
      resource,
      child.metadata,
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  };

  /** What the release on the member consists of, and its pod, which no kubelet runs. */
  const deployed = async (): Promise<void> => {
    const kube = await kubeFor(member);
    await makeNamespace(kube, namespace).finally(() => kube.close());
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'example.com/web' }] } };
    const spec = { replicas: 1, serviceName: 'web', selector: { matchLabels: labels }, template };
    const metadata = { name: 'web', namespace };
    await applyManifest(world, member, { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec });
    await applyManifest(world, member, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '<b>' } });
    await eventually(() => kubectl(world, member, '-n', namespace, 'get', 'pod', 'web-0'));
  };

  /** A HelmRelease that no Application has. */
  const plainRelease = async (): Promise<void> => {
    const chart = { spec: { chart: 'podinfo', version: '6.7.1', ...SOURCE } };
    const spec = { interval: '10m', targetNamespace: 'plain', chart, values: { replicas: 2 } };
    const object = {
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: 'plain', namespace },
    };
    await on.applications.kube.create(helmReleaseResource, { ...object, spec });
  };

  /** Waits until the status of an Application has all that it will say. */
  const isKnown = async (name: string): Promise<void> => {
    await eventually(async () => expect((await on.applications.read(name)).status?.destinations).toHaveLength(2));
    await on.applications.position(name);
  };

  /** In place of those that came at about the same time, whose order differs. */
  const quietEvents = async (): Promise<void> => {
    await on.applications.position('shop');
    const events: [Cluster, string, string, string][] = [
      [world.host, 'Application', 'shop', ATTACK],
      [member, 'StatefulSet', 'web', 'create Pod web-0 in StatefulSet web successful'],
    ];
    for (const [index, [cluster, kind, name, message]] of events.entries()) {
      await kubectl(world, cluster, '-n', namespace, 'delete', 'events', '--all');
      const involvedObject = {
        apiVersion: kind === 'Application' ? 'gitops.kubesphere.io/v1alpha1' : 'apps/v1',
        kind,
        name,
        namespace,
      };
      const lastTimestamp = new Date(Date.now() - (2 - index) * 3_600_000).toISOString().replace(/\.\d+/, '');
      const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: `${name}.1`, namespace }, involvedObject };
      await applyManifest(world, cluster, {
        ...event,
        type: 'Normal',
        reason: 'Golden',
        message,
        lastTimestamp,
        count: index + 1,
      });
    }
  };

  beforeAll(async () => {
    world = await useWorld();
    [member] = world.members as [Cluster, Cluster];
    const { applications } = on;
    ({ namespace } = applications);
    options = {
      flags: ['-n', namespace, '--kubeconfig', world.host.kubeconfig],
      normal: [
        [new RegExp(namespace, 'g'), as('my-project-')],
        [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, as('0')],
        [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-01T00:00:00Z'],
        [/(?<=\b(shop|web|filed|fresh)-[a-z-]+-)[a-z2-7]{10}\b/g, as('0')],
      ],
    };
    await giveKubeconfig(applications.kube, { name: 'member', namespace }, member.kubeconfig);
    await putCluster(applications, 'eu-west', { tier: 'edge' });
    await deployed();
    await on.template('base', { values: { replicas: 1 } });
    await on.hasRevision('base', 1);
    await on.use('web', 'base@1', [deploy('web')]);
    await on.runs('web');
    await on.template('base', { values: { replicas: 2, debug: true } });
    await on.hasRevision('base', 2);
    await on.template('cart', { chart: { chart: 'podinfo', version: '>>1' } });
    const badChart = { chart: { chart: 'podinfo', version: '>>1' }, deploy: [deploy('cart')] };
    const cart = applications.wanted('cart', []);
    const fluxApp = { spec: { source: SOURCE, config: { helmRelease: badChart } } };
    await applications.apply({ ...cart, spec: { ...cart.spec, fluxApp } });
    await put('a', { 'kubernetes.io/change-cause': 'first try' });
    const child = await childFor('member');
    await applications.report(child, 'True', 'InstallSucceeded');
    await statusOf(child, {
      inventory: {
        entries: [`${namespace}_web_apps_StatefulSet`, `${namespace}_web__ConfigMap`, `${namespace}_gone__Service`].map(
          (id) => ({ id, v: 'v1' }),
        ),
      },
    });
    await eventually(async () => expect((await applications.read('shop')).status?.rollout?.message).toMatch(/approv/));
    await put('b', { 'kubernetes.io/change-cause': '<script>alert(1)</script>' });
    await eventually(async () => expect((await childFor('member')).metadata.generation).toBe(2));
    await applications.report(await childFor('member'), 'False', 'UpgradeFailed', ATTACK);
    await eventually(async () =>
      expect((await applications.read('shop')).status?.destinations?.[0]?.state).toBe('Failed'),
    );
    await quietEvents();
  });

  const reads = [
    ...everyFormat('status'),
    ...everyFormat('tree shop --cluster member'),
    ...everyFormat('history shop'),
    ...everyFormat('pending'),
    ...everyFormat('rollout status shop'),
    ...everyFormat('source'),
    ...everyFormat('clusters'),
    ...everyFormat('template list'),
    ...everyFormat('template show base'),
    ...everyFormat('explain web --helm-path HELM'),
    ...everyFormat('events shop --cluster member'),
  ];
  const others: Run[] = [
    { line: 'logs shop --cluster member' },
    { line: 'logs shop', columns: 40 },
    ...everyFormat('diff shop'),
    { line: 'render shop' },
    { line: 'render shop -o json' },
    { line: 'render cart' },
    { line: 'render nobody' },
    { line: 'render shop -f -' },
    { line: 'render shop --manifests' },
    ...everyFormat('diff shop --from 1'),
    ...everyFormat('template diff base@1 base@2'),
    { line: 'status nobody', columns: 40 },
    { line: 'tree nobody' },
  ];

  test('of verbs that read', async () => {
    const runs = reads.map((run) => ({ ...run, line: run.line.replace('HELM', world.tools.helm) }));
    const normal = [
      ...options.normal,
      [new RegExp(world.tools.helm, 'g'), 'helm'] as const,
      // It is one of the UID and the namespace, too.
      [/(?<=applied-digest"?: "?sha256:)[0-9a-f]{64}/g, as('0')] as const,
    ];
    await expectGolden('test/apiserver/cli/reads.golden', [...runs, ...others], { ...options, normal });
  });

  /** One after the other: each sees what those before it did. */
  const acts: Run[] = [
    ...['sync', 'suspend', 'sync', 'suspend', 'resume', 'resume'].map((verb) => ({ line: `${verb} web` })),
    { line: 'sync web --force --dry-run', columns: 40 },
    { line: 'sync shop --wait --timeout 1s' },
    { line: 'rollback shop --dry-run' },
    { line: 'rollback shop --to 9' },
    { line: 'rollback shop', columns: 80 },
    { line: 'rollback shop --release' },
    { line: 'rollback shop --release' },
    ...['pause', 'resume', 'ignore-windows', 'approve', 'abort', 'retry'].map((action) => ({
      line: `rollout ${action} shop`,
    })),
    { line: 'template save shop --dry-run' },
    { line: 'template save shop --as copy' },
    { line: 'template save shop --as copy' },
    { line: 'template use base --as fresh --target-namespace fresh --dry-run' },
    { line: 'template use base --as fresh --target-namespace fresh', columns: 40 },
    { line: 'template use base --as fresh --target-namespace fresh' },
    { line: 'template use missing --as fresh' },
    { line: 'template share base --with default --dry-run' },
    { line: 'template share base --with default' },
    { line: 'template share base --without default' },
    { line: 'template share base --with nowhere-at-all' },
    { line: 'adopt helmrelease/nobody' },
    { line: 'adopt helmrelease/plain' },
    { line: 'adopt hr/plain --application web' },
  ];

  const OFFLINE = { flags: ['-n', 'my-project'] };
  const files: Run[] = [
    { line: 'apply -f - --server-dry-run', input: FILES },
    { line: 'apply -f -', input: FILES },
    { line: 'apply -f -', input: FILES },
    { line: 'apply -f - --wait --timeout 1s', input: FILES, before: () => isKnown('filed') },
    { line: 'apply -f -', input: FILES.replace('revisionHistoryLimit: 2', 'revisionHistoryLimit: many') },
    { line: 'diff -f -', input: FILES },
    { line: 'diff -f -', input: FILES.replace('"6.7.1"', '"6.8.0"').replace('eu', 'us') },
    ...inFormats({ line: 'diff -f -', input: FILES.replace('"6.7.1"', '"6.8.0"').replace('eu', 'us') }),
    { line: 'diff -f -', input: FILES.replace('"6.7.1"', '">>1"') },
    { ...OFFLINE, line: 'render -f -', input: FILES },
    { ...OFFLINE, line: 'render -f - -o json', input: FILES },
    { ...OFFLINE, line: 'render -f -', input: FILES.replace('"6.7.1"', '">>1"') },
    { ...OFFLINE, line: 'render -f - --manifests --source charts=CHARTS', input: FILES },
    { ...OFFLINE, line: 'render -f - --manifests --source charts=CHARTS -o json', input: FILES },
    { ...OFFLINE, line: 'render -f - --manifests --source other=CHARTS', input: FILES },
    { ...OFFLINE, line: 'render -f - --manifests --source charts=CHARTS', input: FILES.replace('6.7.1', '7.x') },
    { ...OFFLINE, line: 'diff -f - --from-file OLD', input: FILES },
    { ...OFFLINE, line: 'diff -f - --from-file OLD', input: FILES.replace('"6.7.1"', '"6.8.0"').replace('eu', 'us') },
    { ...OFFLINE, line: 'diff -f - --from-file OLD', input: FILES.replaceAll('filed', 'fresh') },
    ...inFormats({ ...OFFLINE, line: 'diff -f - --from-file OLD', input: FILES.replaceAll('filed', 'fresh') }),
    { ...OFFLINE, line: 'diff -f - --from-file OLD', input: FILES.replace('"6.7.1"', '">>1"') },
  ];

  test('of verbs that act', async () => {
    const before = () => on.applications.position('shop');
    await plainRelease();
    const settled = acts.map((run) => ({ ...run, before }));
    await expectGolden('test/apiserver/cli/acts.golden', settled, { ...options, inOrder: true });
  });

  test('of verbs that read files', async () => {
    const old = path.join(world.dir, `${namespace}-old.yaml`);
    await writeFile(old, FILES);
    const charts = await writeChart(path.join(world.dir, `${namespace}-charts`));
    const runs = files.map((run) => ({ ...run, line: run.line.replace('OLD', old).replace('CHARTS', charts) }));
    const normal = [
      [new RegExp(old, 'g'), 'OLD'] as const,
      [new RegExp(charts, 'g'), 'CHARTS'] as const,
      ...options.normal,
    ];
    await expectGolden('test/apiserver/cli/files.golden', runs, { ...options, normal, inOrder: true });
  });

  test('kubectl completes its plugin by the program that fairlead prints for that', async () => {
    const folder = path.join(world.dir, `${namespace}-plugin`);
    await mkdir(folder);
    const script = await fairlead(world.host, 'completion', 'kubectl');
    await writeFile(path.join(folder, 'kubectl_complete-fairlead'), script, { mode: 0o755 });
    await writeFile(path.join(folder, 'kubectl-fairlead'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env['PATH'] ?? ''}` };
    const offered = async (...words: string[]): Promise<string[]> =>
      (await runCommand(world.tools.kubectl, ['__complete', 'fairlead', ...words], { env })).trimEnd().split('\n');
    expect(await offered('rollb')).toEqual(['rollback', ':4']);
    expect(await offered('tree', 'shop', '-o', '')).toEqual(['table', 'wide', 'json', 'yaml', ':4']);
    expect(await offered('apply', '-f', '')).toEqual([':0']);
  });
});
