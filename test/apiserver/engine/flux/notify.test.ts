import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { bucketResource } from '#api/flux/bucket.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { packDirectory } from '#engine/artifact/archive.js';
import { useHarness } from '../../source/harness.js';
import { startPublisher, type Publisher } from '../../../support/external-artifact.js';
import { Pusher, tarLayer } from '../../../support/oci.js';
import { manifest, useDependants } from './dependants.js';

/** Sources are in one namespace. */
const sources = useHarness('notify');
/** What uses them is in another one. */
const dependants = useDependants(sources);
let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher(sources.host);
});

afterAll(() => publisher.close());

test.concurrent('a commit reaches the Kustomizations of a GitRepository', async () => {
  await sources.commit(manifest('git', 'blue'));
  await sources.apply('GitRepository', 'git', { url: sources.gitUrl, ref: { branch: 'main' } });
  await dependants.useSource('GitRepository', 'git');
  await dependants.untilColor('git', 'blue');
  await sources.commit(manifest('git', 'green'));
  await sources.reconcile('GitRepository', 'git');
  await dependants.untilColor('git', 'green');
});

test.concurrent('a push reaches the Kustomizations of an OCIRepository', async () => {
  const { registry } = sources.world;
  const pusher = new Pusher(`http://${registry}`, `${sources.namespace}/oci`);
  const push = async (color: string) => pusher.image('latest', [await tarLayer(manifest('oci', color))]);
  await push('blue');
  await sources.apply('OCIRepository', 'oci', { url: `oci://${registry}/${sources.namespace}/oci`, insecure: true });
  await dependants.useSource('OCIRepository', 'oci');
  await dependants.untilColor('oci', 'blue');
  await push('green');
  await sources.reconcile('OCIRepository', 'oci');
  await dependants.untilColor('oci', 'green');
});

test.concurrent('a new artifact reaches the Kustomizations of a Bucket', async () => {
  const { host, namespace, store, gitRoot } = sources;
  // As its controller writes it, which leaves a suspended one alone.
  const suspended = { bucketName: 'bucket', endpoint: 'example.com', suspend: true };
  await sources.apply('Bucket', 'bucket', suspended);
  const publish = async (color: string): Promise<void> => {
    const folder = path.join(path.dirname(gitRoot), `bucket-${color}`);
    for (const [file, content] of Object.entries(manifest('bucket', color))) {
      await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
      await writeFile(path.join(folder, file), content);
    }
    const owner = { kind: 'bucket', namespace, name: 'bucket' };
    const artifact = await store.put(owner, `${color}.tar.gz`, `sha256:${color}`, (file) =>
      packDirectory(folder, file),
    );
    const body = { status: { artifact } };
    const ref = { name: 'bucket', namespace };
    await host.patch(bucketResource, ref, { type: 'merge', body }, { subresource: 'status' });
  };
  await publish('blue');
  await dependants.useSource('Bucket', 'bucket');
  await dependants.untilColor('bucket', 'blue');
  await publish('green');
  await dependants.untilColor('bucket', 'green');
});

test.concurrent('a publication reaches the Kustomizations of an ExternalArtifact', async () => {
  const ref = { name: 'external', namespace: sources.namespace };
  const publish = async (color: string) => publisher.publish(ref, (await tarLayer(manifest('external', color))).data);
  await publish('blue');
  await dependants.useSource('ExternalArtifact', 'external');
  await dependants.untilColor('external', 'blue');
  await publish('green');
  await dependants.untilColor('external', 'green');
});

/** A release of the newest version of the chart. */
function release(name: string): Promise<void> {
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: sources.namespace };
  const chart = { spec: { chart: name, version: '*', sourceRef, interval: '1h' } };
  return dependants.apply(helmReleaseResource, name, { chart, timeout: '60s' });
}

test.concurrent('a new index reaches the HelmCharts of a HelmRepository, and their releases', async () => {
  const chart = (version: string) => ({
    ...{ name: 'chart', version },
    files: {
      'templates/config.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: chart}\ndata: {color: {{ .Chart.Version | quote }}}\n',
    },
  });
  await sources.publish(chart('1.0.0'));
  await sources.apply('HelmRepository', 'charts', { url: sources.helmUrl });
  await release('chart');
  await dependants.untilColor('chart', '1.0.0');
  await sources.publish(chart('1.1.0'));
  await sources.reconcile('HelmRepository', 'charts');
  await dependants.untilColor('chart', '1.1.0');
});

test.concurrent('a new version reaches the releases of an OCIRepository', async () => {
  const { registry } = sources.world;
  const pusher = new Pusher(`http://${registry}`, `${sources.namespace}/oci-chart`);
  const push = async (version: string): Promise<void> => {
    const data = `data: {color: {{ .Chart.Version | trunc 5 | quote }}}`;
    const layer = await tarLayer({
      'oci-chart/Chart.yaml': `apiVersion: v2\nname: oci-chart\nversion: ${version}\n`,
      'oci-chart/templates/config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: oci-chart}\n${data}\n`,
    });
    await pusher.image(version, [layer]);
  };
  await push('1.0.0');
  const spec = { url: `oci://${registry}/${sources.namespace}/oci-chart`, insecure: true, ref: { semver: '*' } };
  await sources.apply('OCIRepository', 'oci-chart', spec);
  const chartRef = { kind: 'OCIRepository', name: 'oci-chart', namespace: sources.namespace };
  await dependants.apply(helmReleaseResource, 'oci-chart', { chartRef, timeout: '60s' });
  await dependants.untilColor('oci-chart', '1.0.0');
  await push('1.1.0');
  await sources.reconcile('OCIRepository', 'oci-chart');
  await dependants.untilColor('oci-chart', '1.1.0');
});
