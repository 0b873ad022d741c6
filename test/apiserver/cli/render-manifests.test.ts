import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import omit from 'lodash/omit.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { setUp, untilReady, type Setup } from '#bench/scenarios/setup.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { helm, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { runCommand } from '#sandbox/command.js';
import { packageCharts, startHelmRepository } from '#sandbox/helm-repository.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import type { HttpServer } from '#sandbox/world/ports.js';
import type { Cluster } from '#sandbox/world.js';
import { applyManifest } from '../../support/kubectl.js';
import { eventually, useWorld } from '../../support/world.js';

const CHART: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: probe\nversion: 1.2.0\n',
  'values.yaml': 'color: blue\nregion: nowhere\nsize: 1\n',
  'large.yaml': 'size: 9\n',
  'crds/probe.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: probes.render.fairlead.dev}
spec:
  group: render.fairlead.dev
  names: {kind: Probe, plural: probes}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`,
  'templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  labels: {chart: "{{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}"}
data:
  color: {{ .Values.color | quote }}
  region: {{ .Values.region | quote }}
  size: {{ .Values.size | quote }}
  password: {{ .Values.password | default "none" | sha256sum }}
  first: "{{ .Release.IsInstall }} {{ .Release.Revision }}"
  kubernetes: {{ .Capabilities.KubeVersion.Version }}
  serves: "{{ .Capabilities.APIVersions.Has "render.fairlead.dev/v1/Probe" }} {{ .Capabilities.APIVersions.Has "policy/v1beta1" }}"
  found: {{ lookup "v1" "ConfigMap" "default" "nobody-has-this" | toJson | quote }}
`,
  'templates/probe.yaml': `apiVersion: render.fairlead.dev/v1
kind: Probe
metadata: {name: "{{ .Release.Name }}"}
spec: {size: {{ .Values.size }}}
`,
  'templates/hooks.yaml': `{{- range $event := list "post-install" "pre-install" "pre-upgrade" }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ $event }}
  annotations: {helm.sh/hook: {{ $event }}}
{{- end }}
`,
  'templates/NOTES.txt': 'Thank you.\n',
};

const PROBE = 'render-probe';
const PASSWORD = 'not-for-anybody';
const SOURCE = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };

function meta(name: string, labels: Record<string, string> = {}) {
  return { name, namespace: PROJECT_NAMESPACE, labels };
}

function destination(secret: string, namespace: string) {
  return { kubeConfig: { secretRef: { name: secret } }, targetNamespace: namespace };
}

const install = { createNamespace: true };
const entries = [
  {
    destination: destination('stage-kubeconfig', 'render-a'),
    install,
    valuesFrom: [
      { kind: 'ConfigMap', name: 'render-values', valuesKey: 'all' },
      { kind: 'Secret', name: 'render-values', valuesKey: 'password', targetPath: 'password' },
    ],
    commonMetadata: { labels: { team: 'render' } },
  },
  {
    destination: { clusterSelector: { matchLabels: { render: 'yes' } }, targetNamespace: 'render-b' },
    install: { ...install, disableHooks: true },
    values: { region: '${{ cluster.labels.region }}', color: 'green' },
    postRenderers: [
      {
        kustomize: {
          patches: [
            {
              target: { kind: 'ConfigMap', name: 'render-probe' },
              patch: '- {op: add, path: /data/patched, value: "yes"}',
            },
          ],
        },
      },
    ],
  },
];

function application(name: string, source: object, config: object): Unstructured {
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: meta(name),
    spec: { kind: 'fluxcd', fluxApp: { spec: { source: { sourceRef: source }, config } } },
  };
}

const releases = application(
  PROBE,
  { kind: 'HelmRepository', name: PROBE },
  {
    helmRelease: {
      chart: { chart: 'probe', version: '1.x', valuesFiles: ['values.yaml', 'large.yaml'] },
      deploy: entries,
    },
  },
);

const files = application(
  'render-files',
  { kind: 'GitRepository', name: 'fluxcd-github-repo' },
  {
    kustomization: [
      {
        destination: destination('stage-kubeconfig', 'buoy-stage'),
        path: './kustomize/stage',
        commonMetadata: { annotations: { team: 'render' } },
        patches: [{ target: { kind: 'Deployment' }, patch: '- {op: replace, path: /spec/replicas, value: 2}' }],
        postBuild: {
          substitute: { region: 'eu-west' },
          substituteFrom: [{ kind: 'ConfigMap', name: 'render-values' }],
        },
      },
    ],
  },
);

/** What the Applications refer to, as users have it in files. */
const referred: readonly Unstructured[] = [
  {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('render-values') },
    data: { all: 'color: red', greeting: 'Ahoy' },
  },
  {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: meta('render-values') },
    stringData: { password: PASSWORD },
  },
  {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: meta('render-cluster', { 'gitops.kubesphere.io/cluster': 'true', render: 'yes', region: 'eu' }),
  },
];

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program, without any kubeconfig. */
function render(...args: readonly string[]): Promise<Printed> {
  const program = path.join(PACKAGE_ROOT, 'dist/cli/main.js');
  const env = { ...process.env, KUBECONFIG: '/nowhere', NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'render', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

let setup: Setup;
let dir: string;
let repository: HttpServer;

async function writeChart(): Promise<string> {
  const charts = path.join(dir, 'charts');
  for (const [name, text] of Object.entries(CHART)) {
    const file = path.join(charts, 'probe', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return charts;
}

beforeAll(async () => {
  const world = await useWorld();
  dir = await mkdtemp(path.join(tmpdir(), 'render-manifests-'));
  const root = path.join(dir, 'repository');
  await packageCharts({ helm: world.tools.helm, charts: await writeChart(), root, home: path.join(dir, 'home') });
  repository = await startHelmRepository(root);
  setup = await setUp(world);
  const value = await readFile(world.members[1]!.kubeconfig, 'base64');
  const source = { ...SOURCE, metadata: meta(PROBE), spec: { url: `${repository.origin}/charts`, interval: '1m' } };
  for (const object of [source, ...referred, releases, files]) {
    const isCluster = object.metadata.name === 'render-cluster';
    await applyManifest(world, world.host, isCluster ? { ...object, data: { value } } : object);
  }
});

afterAll(async () => {
  await setup.tearDown();
  await kubectl(setup.world, setup.world.members[0]!, 'delete', 'crd', 'probes.render.fairlead.dev');
  await kubectl(setup.world, setup.world.members[1]!, 'delete', 'crd', 'probes.render.fairlead.dev');
  await repository.close();
  await rm(dir, { recursive: true });
});

/** A file with what users have in files. */
async function fileOf(...objects: readonly object[]): Promise<string> {
  const file = path.join(dir, 'files.yaml');
  await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  return file;
}

function named(text: string): string[] {
  return (parseYamlDocuments(text) as KubeObject[]).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

const HELM_CRD = 'CustomResourceDefinition/probes.render.fairlead.dev';

/** What a user of the engine sees of an object, before and after it would be applied again. */
async function appliedAgain(cluster: Cluster, object: Unstructured, manager: string) {
  const { world } = setup;
  const { kind, metadata } = object;
  const place = metadata.namespace === undefined ? [] : ['-n', metadata.namespace];
  const flags = ['--show-managed-fields', '-o', 'json'];
  const live = await kubectl(world, cluster, 'get', ...place, kind, metadata.name, ...flags);
  const args = ['--server-side', '--dry-run=server', '--force-conflicts', `--field-manager=${manager}`];
  const again = await runCommand(
    world.tools.kubectl,
    ['--kubeconfig', cluster.kubeconfig, 'apply', ...args, ...flags, '-f', '-'],
    { input: JSON.stringify(object) },
  );
  return [live, again].map((text) => {
    const { metadata: known, ...rest } = JSON.parse(text) as Unstructured;
    const fields = (known.managedFields ?? []).find((each) => each.manager === manager && each.operation === 'Apply');
    return { ...omit(rest, 'status'), metadata: omit(known, 'managedFields', 'resourceVersion'), fields };
  });
}

async function versionOf(cluster: Cluster): Promise<string> {
  const text = await kubectl(setup.world, cluster, 'version', '-o', 'json');
  return (JSON.parse(text) as { serverVersion: { gitVersion: string } }).serverVersion.gitVersion;
}

it('render --manifests prints what Helm has stored of each release, and hooks and CRDs around it', async () => {
  const { world } = setup;
  const [stage, prod] = world.members;
  await untilReady(setup, PROBE);
  const flags = ['--source', `HelmRepository/${PROBE}=${path.join(dir, 'charts')}`];
  const version = ['--kube-version', await versionOf(stage!)];
  const file = await fileOf(releases, ...referred);
  const { code, stdout, stderr } = await render('-f', file, '--manifests', ...flags, ...version);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [first = '', second = '', ...more] = stdout.split(/^(?=# HelmRelease)/m);
  expect(more).toEqual([]);
  const places = [
    {
      text: first,
      cluster: stage!,
      namespace: 'render-a',
      on: 'stage-kubeconfig',
      hooks: ['pre-install', 'post-install'],
    },
    { text: second, cluster: prod!, namespace: 'render-b', on: 'render-cluster', hooks: [] },
  ];
  for (const { text, cluster, namespace, on, hooks } of places) {
    expect(text.split('\n')[0]).toMatch(new RegExp(`^# HelmRelease/.* on ${on}, namespace ${namespace}$`));
    const stored = (await helm(world, cluster, 'get', 'manifest', PROBE, '-n', namespace)).trim();
    const [before = '', after = '', ...others] = text.split(stored);
    expect(others).toEqual([]);
    const hookNames = hooks.map((event) => `ConfigMap/${PROBE}-${event}`);
    expect(named(before)).toEqual([HELM_CRD, `Namespace/${namespace}`, ...hookNames.slice(0, 1)]);
    expect(named(after)).toEqual(hookNames.slice(1));
    const storedHooks = parseYamlDocuments(await helm(world, cluster, 'get', 'hooks', PROBE, '-n', namespace));
    const printedHooks = [...parseYamlDocuments(before).slice(2), ...parseYamlDocuments(after)];
    expect(storedHooks).toEqual(expect.arrayContaining(printedHooks));
    const [crd] = parseYamlDocuments(before) as Unstructured[];
    const [live, again] = await appliedAgain(cluster, crd!, 'helm-controller');
    expect(again).toEqual(live);
  }
  expect(first).toContain('chart: probe-1.2.0_1');
  expect(first).not.toContain(PASSWORD);
  expect(second).toContain('patched');
});

interface WithInventory {
  readonly status: { readonly inventory: { readonly entries: readonly { readonly id: string }[] } };
}

it('render --manifests prints what a Kustomization applies', async () => {
  const { world } = setup;
  await untilReady(setup, 'render-files');
  const source = `GitRepository/${PROJECT_NAMESPACE}/fluxcd-github-repo=${path.join(PACKAGE_ROOT, 'sandbox/repo')}`;
  const file = await fileOf(files, ...referred);
  const { code, stdout, stderr } = await render('-f', file, '--manifests', '--source', source, '-o', 'json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { items } = JSON.parse(stdout) as { items: { child: string; cluster: string; items: Unstructured[] }[] };
  const [printed] = items;
  expect(printed).toMatchObject({ cluster: 'stage-kubeconfig', namespace: 'buoy-stage', kind: 'List' });
  const name = printed!.child.split('/').at(-1) ?? '';
  const kind = 'kustomizations.kustomize.toolkit.fluxcd.io';
  const live = await kubectlJson<WithInventory>(world, world.host, '-n', PROJECT_NAMESPACE, kind, name);
  const ids = live.status.inventory.entries.map(({ id }) => id);
  expect(printed!.items.map((object) => inventoryEntry(object).id).sort()).toEqual([...ids].sort());
  for (const object of printed!.items) {
    const [was, again] = await appliedAgain(world.members[0]!, object, 'kustomize-controller');
    expect(again).toEqual(was);
  }
});

it('what has no files is named with the way out, and the others are printed', async () => {
  const source = `HelmRepository/${PROBE}=${path.join(dir, 'repository', 'probe-1.2.0.tgz')}`;
  const file = await fileOf(releases, files, ...referred);
  const { code, stdout, stderr } = await render('-f', file, '--manifests', '--source', source);
  expect(code).toBe(1);
  expect(stdout.match(/^# .*/gm)?.filter((line) => !line.startsWith('# Source'))).toHaveLength(2);
  const shown = `GitRepository/${PROJECT_NAMESPACE}/fluxcd-github-repo`;
  const why = `on stage-kubeconfig is not rendered: there are no files of ${shown}: set --source ${shown}=PATH`;
  expect(stderr).toMatch(new RegExp(`^Kustomization/.* ${why}\n$`));
});

it('Ctrl-C ends a chart that never does, and leaves nothing behind', async () => {
  const [temporary, chart] = [path.join(dir, 'temporary'), path.join(dir, 'endless')];
  await mkdir(temporary);
  await mkdir(path.join(chart, 'templates'), { recursive: true });
  await writeFile(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: probe\nversion: 1.0.0\n');
  const loop = '{{ range until 10000 }}{{ range until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}{{ end }}';
  await writeFile(path.join(chart, 'templates/loop.yaml'), loop);
  for (const name of ['values.yaml', 'large.yaml']) await writeFile(path.join(chart, name), '');
  const args = ['render', '-f', await fileOf(releases, ...referred), '--manifests', '--source', `${PROBE}=${chart}`];
  const env = { ...process.env, KUBECONFIG: '/nowhere', TMPDIR: temporary };
  const child = spawn(process.execPath, [path.join(PACKAGE_ROOT, 'dist/cli/main.js'), ...args], { env });
  // Helm's values are there: it is about to render.
  const isRendering = async () =>
    (await readdir(temporary, { recursive: true })).some((name) => name.endsWith('values.json'));
  await eventually(async () => expect(await isRendering()).toBe(true), { timeoutMs: 60_000 });
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, left: await readdir(temporary) }).toEqual({ code: 130, left: [] });
});
