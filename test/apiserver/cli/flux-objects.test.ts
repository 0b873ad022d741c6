import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fairlead, kubectl } from '#bench/scenarios/shell.js';
import type { FluxObjectStatus } from '#queries/answers/flux-object.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import type { World } from '#sandbox/world.js';
import { as, everyFormat, expectGolden, type Run } from '../../support/golden.js';
import { prepareCluster } from '../../support/harness.js';
import { applyManifest } from '../../support/kubectl.js';
import { limitedUser } from '../../support/limited-user.js';
import { useWorld } from '../../support/world.js';

type Kind = readonly [apiVersion: string, kind: string];

const APPLICATION: Kind = ['gitops.kubesphere.io/v1alpha1', 'Application'];
const RELEASE: Kind = ['helm.toolkit.fluxcd.io/v2', 'HelmRelease'];
const KUSTOMIZATION: Kind = ['kustomize.toolkit.fluxcd.io/v1', 'Kustomization'];
const SOURCE_API = 'source.toolkit.fluxcd.io/v1';

const APPLICATIONS = 'applications.gitops.kubesphere.io';
const RELEASES = 'helmreleases.helm.toolkit.fluxcd.io';
const FILES = 'kustomizations.kustomize.toolkit.fluxcd.io';

const NOT_FOUND = "chart pull error: no 'web' chart with version matching '9.x' found";

function condition(status: string, reason: string, message: string): object {
  return { type: 'Ready', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

const WELL = condition('True', 'InstallSucceeded', 'Helm install succeeded for release shop/db.v1');

/** The objects that somebody brings from Flux; the test writes the reports of their engine: no controller runs. */
describe('plain objects of Flux', () => {
  let world: World;
  let kube: Kube;
  let namespace: string;

  const run = (...args: string[]): Promise<string> => fairlead(world.host, ...args, '-n', namespace);

  const put = async ([apiVersion, kind]: Kind, name: string, body: object, status?: object): Promise<void> => {
    await applyManifest(world, world.host, { apiVersion, kind, metadata: { name, namespace }, ...body });
    if (status === undefined) return;
    const flags = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await kubectl(world, world.host, '-n', namespace, 'patch', kind.toLowerCase(), name, ...flags);
  };

  const chart = (name: string): object => ({
    spec: { chart: name, version: '9.x', sourceRef: { kind: 'HelmRepository', name: 'charts' } },
  });

  const putReleases = async (): Promise<void> => {
    await put(
      RELEASE,
      'db',
      { spec: { interval: '10m', chart: chart('db') } },
      {
        observedGeneration: 1,
        conditions: [WELL],
        history: [
          {
            ...{ name: 'db', namespace, version: 1, status: 'deployed', digest: 'sha256:0', configDigest: 'sha256:0' },
            ...{ chartName: 'db', chartVersion: '9.1.0' },
            ...{ firstDeployed: '2026-01-01T00:00:00Z', lastDeployed: '2026-01-01T00:00:00Z' },
          },
        ],
        inventory: {
          entries: [
            { id: `${namespace}_db__ConfigMap`, v: 'v1' },
            { id: `${namespace}_db__Secret`, v: 'v1' },
          ],
        },
      },
    );
    const valuesFrom = [
      { kind: 'ConfigMap', name: 'db' },
      { kind: 'Secret', name: 'web-values' },
      { kind: 'Secret', name: 'web-extra', optional: true },
    ];
    const spec = { interval: '10m', targetNamespace: 'shop', chart: chart('web'), valuesFrom };
    const dependsOn = [{ name: 'db' }, { name: 'cache' }];
    const waiting = condition('False', 'SourceNotReady', `HelmChart is not ready: ${NOT_FOUND}`);
    const helmChart = `${namespace}/${namespace}-web`;
    await put(
      RELEASE,
      'web',
      { spec: { ...spec, dependsOn } },
      { observedGeneration: 1, conditions: [waiting], helmChart },
    );
  };

  beforeAll(async () => {
    world = await useWorld();
    ({ kube, namespace } = await prepareCluster(world.host, 'flux'));
    const stored = condition('True', 'Succeeded', 'stored artifact');
    await put(
      [SOURCE_API, 'HelmRepository'],
      'charts',
      { spec: { url: 'https://charts.example.com', interval: '10m' } },
      { observedGeneration: 1, conditions: [stored] },
    );
    await put(
      [SOURCE_API, 'HelmChart'],
      `${namespace}-web`,
      { spec: { chart: 'web', interval: '10m', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
      { observedGeneration: 1, conditions: [condition('False', 'InvalidChartReference', NOT_FOUND)] },
    );
    await put(['v1', 'ConfigMap'], 'db', { data: { 'values.yaml': 'a: 1' } });
    await putReleases();
    const sourceRef = { kind: 'GitRepository', name: 'fleet' };
    await put(KUSTOMIZATION, 'apps', {
      spec: { interval: '10m', prune: true, path: './apps', sourceRef },
    });
    const spec = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
    const ready = { conditions: [condition('True', 'AllReady', 'all fine')], summary: { desired: 1, ready: '1/1' } };
    await put(APPLICATION, 'shop', { spec }, { observedGeneration: 1, ...ready });
    await putOwned();
  });

  /** A child of the Application, which its own row stands for. */
  async function putOwned(): Promise<void> {
    const uid = await kubectl(
      world,
      world.host,
      '-n',
      namespace,
      'get',
      APPLICATIONS,
      'shop',
      '-o',
      'jsonpath={.metadata.uid}',
    );
    const owner = { apiVersion: APPLICATION[0], kind: APPLICATION[1], name: 'shop', uid };
    await applyManifest(world, world.host, {
      apiVersion: RELEASE[0],
      kind: RELEASE[1],
      metadata: { name: 'shop-owned', namespace, ownerReferences: [owner] },
      spec: { interval: '10m', chart: chart('shop') },
    });
  }

  afterAll(() => kube.close());

  it('are shown with what they need, and with what they deployed', async () => {
    const lines = ['status', 'status hr/web', 'tree HelmRelease/db'];
    const runs: Run[] = [
      ...lines.flatMap(everyFormat),
      { line: 'status helmrelease/db', columns: 80 },
      { line: 'status helmrelease/shop-owned', columns: 80 },
      { line: 'status ks/apps', columns: 80 },
      { line: 'tree ks/apps' },
      { line: 'status shop' },
      { line: 'status web' },
      ...['status', 'tree']
        .flatMap((verb) => [`${verb} hr/nobody`, `${verb} Deployment/web`])
        .map((line) => ({ line })),
      { line: 'tree hr/db --cluster eu' },
      { line: 'status hr/db --wait' },
      { line: 'status hr/db --watch' },
    ];
    const normal = [[new RegExp(namespace, 'g'), as('my-project-')] as const];
    const flags = ['-n', namespace, '--kubeconfig', world.host.kubeconfig];
    await expectGolden('test/apiserver/cli/flux-objects.golden', runs, { flags, normal });
  });

  it('leave the Applications to a user who may not list them, and say so', async () => {
    const kubeconfig = await limitedUser(world, namespace, { name: 'reader', list: [APPLICATIONS, FILES] });
    const program = ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, 'dist/cli/main.js'];
    const text = await runCommand('sh', [...program, 'status', '-n', namespace, '--kubeconfig', kubeconfig]);
    expect(text).toMatch(/^APPLICATION .*\nshop .*\n/m);
    expect(text).toMatch(/^Kustomization +apps /m);
    const answer = await fairlead({ ...world.host, kubeconfig }, 'status', '-n', namespace, '-o', 'json');
    expect(JSON.parse(answer)).toMatchObject({ fluxObjects: [{ name: 'apps' }], unread: ['HelmRelease'] });
    expect(text).toContain(
      `You may not list HelmReleases in namespace ${namespace}: those without an Application are not shown.`,
    );
  });

  it('tell what the user may not read from what is missing', async () => {
    const kubeconfig = await limitedUser(world, namespace, { name: 'getter', get: [RELEASES] });
    const args = ['status', 'hr/web', '-n', namespace, '-o', 'json'];
    const answer = JSON.parse(await fairlead({ ...world.host, kubeconfig }, ...args)) as {
      fluxObjects: FluxObjectStatus[];
    };
    const needs = answer.fluxObjects[0]?.needs.map(({ kind, name, state, message }) => [kind, name, state, message]);
    expect(needs).toEqual(
      expect.arrayContaining([
        ['HelmRepository', 'charts', 'Unknown', 'you may not read it'],
        ['Secret', 'web-values', 'Unknown', 'you may not read it'],
        ['HelmRelease', 'db', 'Ready', ''],
        ['HelmRelease', 'cache', 'Missing', 'it does not exist: create it, or change spec.dependsOn[1]'],
      ]),
    );
  });

  it('are counted by fairlead check', async () => {
    const output = await fairlead(world.host, 'check', '-o', 'json').catch(String);
    expect(output).toMatch(/[1-9]\d* without an Application, [1-9]\d* not Ready: /);
    expect(await run('status', 'hr/db')).toContain('9.1.0');
  });
});
