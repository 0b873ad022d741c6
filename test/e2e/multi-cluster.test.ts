import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import type { Cluster } from '#sandbox/world.js';
import { fairlead, helm, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import {
  applySample,
  childrenOf,
  patchApplication,
  READY_MS,
  untilReady,
  type ApplicationView,
} from '#bench/scenarios/setup.js';
import { useSetup } from '../support/fixture.js';
import { eventually } from '../support/world.js';

const NAME = 'multi-cluster';
const RELEASE = ['-n', 'app'] as const;
/** JSON pointer of the entry for stage. */
const STAGE_ENTRY = '/spec/fluxApp/spec/config/helmRelease/deploy/0';

/** Ages and commits differ from run to run; so do the widths of their columns. */
function comparable(table: string): string {
  return table
    .replace(/\b\d+(s|m|m\d+s)\b/g, 'AGE')
    .replace(/0\.1\.0\+[0-9a-f]{12}/g, '0.1.0+COMMIT')
    .replace(/ {2,}/g, '  ')
    .trimEnd();
}

describe('use case 4: one Application on two members', () => {
  const setup = useSetup();
  let application: ApplicationView;
  let stageCluster: Cluster;
  let prodCluster: Cluster;

  const history = async (cluster: Cluster): Promise<{ revision: number; status: string }[]> =>
    JSON.parse(await helm(setup.world, cluster, 'history', NAME, ...RELEASE, '-o', 'json')) as {
      revision: number;
      status: string;
    }[];

  beforeAll(async () => {
    [stageCluster, prodCluster] = setup.world.members as [Cluster, Cluster];
    await applySample(setup.world, '04-multi-cluster');
    application = await untilReady(setup, NAME);
  });

  it('makes exactly one child for each destination', async () => {
    const children = await childrenOf(setup.world, application.metadata.uid);
    expect(children.map(({ spec }) => spec.kubeConfig?.secretRef.name).sort()).toEqual([
      'prod-kubeconfig',
      'stage-kubeconfig',
    ]);
    expect(application.status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
  });

  it('gives each member its own values, inline and from the ConfigMap or Secret', async () => {
    const values = async (cluster: Cluster): Promise<unknown> =>
      JSON.parse(await helm(setup.world, cluster, 'get', 'values', NAME, ...RELEASE, '-o', 'json'));
    expect(await values(stageCluster)).toEqual({
      clouds: { provider: 'qingcloud' },
      features: ['preview', 'traces'],
      logLevel: 'debug',
    });
    expect(await values(prodCluster)).toEqual({
      clouds: { provider: 'aliyun' },
      database: { host: 'db.prod.example', password: 'not-a-real-password' },
    });
  });

  it('leaves live objects that differ as the entries say', async () => {
    const configMaps = async (cluster: Cluster): Promise<string> =>
      JSON.stringify(
        await kubectlJson(setup.world, cluster, 'configmaps', ...RELEASE, '-l', 'app.kubernetes.io/managed-by=Helm'),
      );
    expect(await configMaps(stageCluster)).toContain('qingcloud');
    expect(await configMaps(prodCluster)).toContain('aliyun');
    expect(await configMaps(prodCluster)).not.toContain('qingcloud');
  });

  it('is a true Helm release: the real helm lists it and tells its history and manifest', async () => {
    for (const cluster of [stageCluster, prodCluster]) {
      const list = JSON.parse(await helm(setup.world, cluster, 'ls', ...RELEASE, '-o', 'json')) as object[];
      expect(list).toEqual([expect.objectContaining({ name: NAME, namespace: 'app', status: 'deployed' })]);
      expect(await history(cluster)).toEqual([expect.objectContaining({ revision: 1, status: 'deployed' })]);
      const manifest = await helm(setup.world, cluster, 'get', 'manifest', NAME, ...RELEASE);
      expect(manifest).toContain('kind: Deployment');
    }
  });

  it('shows in kubectl and in fairlead status as a person would want it', async () => {
    const table = await kubectl(setup.world, setup.world.host, '-n', PROJECT_NAMESPACE, 'get', 'gapp', NAME);
    expect(comparable(table)).toMatchSnapshot('kubectl get gapp');
    const status = await fairlead(setup.world.host, 'status', '-n', PROJECT_NAMESPACE, NAME);
    expect(comparable(status)).toMatchSnapshot('fairlead status');
  });

  it('goes on after an upgrade and a rollback by hand, never with two deployed revisions', async () => {
    const provider = `${STAGE_ENTRY}/values/clouds/provider`;
    await patchApplication(setup.world, NAME, [{ op: 'replace', path: provider, value: 'tencent' }]);
    await eventually(
      async () => {
        const values = await helm(setup.world, stageCluster, 'get', 'values', NAME, ...RELEASE);
        expect(values).toContain('tencent');
      },
      { timeoutMs: READY_MS },
    );
    await untilReady(setup, NAME);
    // Helm's own manager is `helm`, that of the engine is Flux's: taking the fields over must be said.
    await helm(setup.world, stageCluster, 'rollback', NAME, '1', ...RELEASE, '--force-conflicts');
    expect(await helm(setup.world, stageCluster, 'get', 'values', NAME, ...RELEASE)).toContain('qingcloud');
    expect((await history(stageCluster)).filter(({ status }) => status === 'deployed')).toHaveLength(1);
    expect(await history(prodCluster)).toHaveLength(1);
  });

  it('uninstalls on one member only when its entry is removed', async () => {
    await patchApplication(setup.world, NAME, [{ op: 'remove', path: STAGE_ENTRY }]);
    await eventually(
      async () => {
        expect(JSON.parse(await helm(setup.world, stageCluster, 'ls', ...RELEASE, '-o', 'json'))).toEqual([]);
        const left = await kubectlJson<{ items: object[] }>(setup.world, stageCluster, 'deployments', ...RELEASE);
        expect(left.items).toEqual([]);
      },
      { timeoutMs: READY_MS },
    );
    const list = JSON.parse(await helm(setup.world, prodCluster, 'ls', ...RELEASE, '-o', 'json')) as object[];
    expect(list).toEqual([expect.objectContaining({ name: NAME, revision: '1', status: 'deployed' })]);
    expect((await untilReady(setup, NAME)).status?.summary).toMatchObject({ desired: 1, ready: '1/1' });
  });

  it('installs again after the real helm has uninstalled it', async () => {
    await helm(setup.world, prodCluster, 'uninstall', NAME, ...RELEASE);
    await kubectl(
      setup.world,
      setup.world.host,
      ...['-n', PROJECT_NAMESPACE, 'annotate', 'helmreleases.helm.toolkit.fluxcd.io', '--all', '--overwrite'],
      `reconcile.fluxcd.io/requestedAt=after-uninstall`,
    );
    await eventually(
      async () => {
        const list = JSON.parse(await helm(setup.world, prodCluster, 'ls', ...RELEASE, '-o', 'json')) as object[];
        expect(list).toEqual([expect.objectContaining({ name: NAME, status: 'deployed' })]);
      },
      { timeoutMs: READY_MS },
    );
  });

  it('selects clusters by their labels, without another revision of what runs there', async () => {
    const label = (name: string, ...labels: string[]): Promise<string> =>
      kubectl(setup.world, setup.world.host, '-n', PROJECT_NAMESPACE, 'label', 'secret', name, ...labels);
    const isCluster = 'gitops.kubesphere.io/cluster=true';
    await untilReady(setup, NAME);
    const before = await history(prodCluster);
    await label('prod-kubeconfig', isCluster, 'tier=prod');
    const destination = { clusterSelector: { matchLabels: { tier: 'prod' } }, targetNamespace: 'app' };
    await patchApplication(setup.world, NAME, [
      { op: 'replace', path: `${STAGE_ENTRY}/destination`, value: destination },
    ]);
    expect((await untilReady(setup, NAME)).status?.summary).toMatchObject({ desired: 1, ready: '1/1' });
    await label('stage-kubeconfig', isCluster, 'tier=prod');
    await eventually(
      async () => {
        const list = JSON.parse(await helm(setup.world, stageCluster, 'ls', ...RELEASE, '-o', 'json')) as object[];
        expect(list).toEqual([expect.objectContaining({ name: NAME, status: 'deployed' })]);
      },
      { timeoutMs: READY_MS },
    );
    expect(await history(prodCluster)).toEqual(before);
  });
});
