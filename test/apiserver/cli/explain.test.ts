import { beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { secretResource } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import { pathText } from '#lib/text/text.js';
import { cachedPath, readModule, toolCacheFolder } from '#sandbox/tools/cache.js';
import type { World } from '#sandbox/world.js';
import { generatedPart } from '../../meta/generated-docs.js';
import { limitedUser } from '../../support/limited-user.js';
import { CTRL_C, fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { eventually, useWorld } from '../../support/world.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { useTemplates } from '../template/harness.js';

const GOLDEN = 'test/apiserver/cli/explain.golden';
/** What `docs/clusters.md` shows. */
const IN_THE_DOCS = 120;
const CLUSTER = 'gitops.kubesphere.io/cluster-name';
const APPLICATIONS = 'applications.gitops.kubesphere.io';

const ENTRY = {
  ...selecting({ tier: 'edge' }),
  destination: { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'shop' },
  values: {
    env: '${{ cluster.labels.env }}',
    host: 'shop.${{ cluster.name }}.example.com',
    replicas: 1,
    debug: null,
    'log.level': 'info',
    zones: ['a', 'b'],
    limits: {},
  },
  valuesTemplate: 'region: {{ required "region is needed" .ClusterLabels.region }}\nreplicas: 2\n',
  valuesFrom: [{ kind: 'Secret', name: 'credentials' }],
  overrides: [
    { clusters: { names: ['us-east'] }, timeout: '10m', values: { replicas: 3, debug: false, zones: ['c'] } },
  ],
} as const;

const on = useTemplates();
let world: World;
let namespace: string;

async function putCluster(name: string, labels: Record<string, string>): Promise<void> {
  const all = { 'gitops.kubesphere.io/cluster': 'true', ...labels };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels: all } };
  await on.applications.kube.apply(secretResource, secret, { fieldManager: 'user', force: true });
}

/** On a template, in three clusters; for the last one the template of values fails. */
async function putApplication(): Promise<void> {
  await on.template('base', { values: { debug: true, team: 'shop' }, deploy: { timeout: '2m' } });
  await on.hasRevision('base', 1);
  const wanted = on.applications.wanted('shop', []);
  const config = { helmRelease: { template: 'base', deploy: [ENTRY] } };
  const spec = { ...wanted.spec, fluxApp: { spec: { interval: '5m', config } } };
  await on.applications.apply({ ...wanted, spec } as unknown as Application); // the API server checks it
}

beforeAll(async () => {
  world = await useWorld();
  ({ namespace } = on.applications);
  await putCluster('eu-west', { tier: 'edge', env: 'prod', region: 'eu' });
  await putCluster('us-east', { tier: 'edge', env: 'test', region: 'us' });
  await putCluster('us-west', { tier: 'edge', env: 'test' });
  await putApplication();
  await on.applications.eventuallyHas('shop', 2);
});

interface Options {
  readonly columns?: number;
  readonly kubeconfig?: string;
  readonly helm?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(args: readonly string[], options: Options = {}) {
  const { columns = 200, kubeconfig = world.host.kubeconfig, helm = true, env = {} } = options;
  const flags = ['-n', namespace, '--kubeconfig', kubeconfig, ...(helm ? ['--helm-path', world.tools.helm] : [])];
  const terminal = fairleadAtTerminal(['explain', ...args, ...flags], { columns, env });
  const code = await terminal.exitCode;
  return { code, lines: screenOf(terminal.output()).map((line) => line.replaceAll(namespace, 'my-project')) };
}

/** UPDATE_GOLDEN=1 rewrites it, and the page of the docs. */
test('a terminal of 60, 120 and 200 columns shows what explain.golden has', async () => {
  const screens = new Map<string, string>();
  for (const [columns, ...args] of [[60], [IN_THE_DOCS], [200, '-o', 'wide'], [200, '--cluster', 'us-east']] as const) {
    const { code, lines } = await run(['shop', ...args], { columns });
    expect({ code, lines }).toMatchObject({ code: 0 });
    screens.set([`${columns} columns`, ...args].join(' '), lines.join('\n'));
  }
  const all = [...screens].map(([title, screen]) => `== ${title}\n\n${screen}\n`).join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, all);
  expect(all).toBe(readFileSync(GOLDEN, 'utf8'));
  const picture = `\`\`\`\n${screens.get(`${IN_THE_DOCS} columns`) ?? ''}\n\`\`\``;
  expect(generatedPart('docs/clusters.md', 'explain', picture)).toBe(picture);
});

interface Printed {
  readonly destinations: readonly {
    readonly clusters: readonly string[];
    readonly state: string;
    readonly message: string;
    readonly values: readonly { readonly path: readonly string[]; readonly value: unknown }[];
  }[];
}

/** By the path of each value, as the child of the cluster has it. */
function flat(value: unknown, place: readonly string[] = []): (readonly [string, unknown])[] {
  const isTree = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isTree ? Object.entries(value) : [];
  if (entries.length === 0) return [[pathText(place), value]];
  return entries.flatMap(([key, each]) => flat(each, [...place, key]));
}

async function printed(args: readonly string[], options?: Options): Promise<Printed> {
  const { code, lines } = await run([...args, '-o', 'json'], options);
  expect({ code, lines }).toMatchObject({ code: 0 });
  return JSON.parse(lines.slice(lines.indexOf('{')).join('\n')) as Printed;
}

test.each(['eu-west', 'us-east'])('on %s, they are the values of the child', async (cluster) => {
  const { destinations } = await printed(['shop', '--cluster', cluster], { columns: 2_000 });
  const [only, ...others] = destinations;
  expect([only?.clusters, others]).toEqual([[cluster], []]);
  const children = await on.applications.childrenOf('shop');
  const child = children.find(({ metadata }) => metadata.labels?.[CLUSTER] === cluster);
  const said = new Map(only?.values.map((each) => [pathText(each.path), each.value]));
  expect(said).toEqual(new Map(flat(child?.spec['values'])));
});

test('a destination that is rejected says what the status says', async () => {
  const { destinations } = await printed(['shop', '--cluster', 'us-west'], { columns: 2_000 });
  const message = expect.stringMatching(/deploy\[0\]\.valuesTemplate: region is needed$/);
  expect(destinations).toMatchObject([{ state: 'Rejected', message, values: [] }]);
  await eventually(async () => {
    const rows = (await on.applications.read('shop')).status?.destinations ?? [];
    expect(rows.find((row) => row.cluster === 'us-west')?.message).toMatch(/valuesTemplate: region is needed/);
  });
});

test('an Application without destinations says why it has none', async () => {
  const deploy = [selecting({ tier: 'egde' })];
  const wanted = on.applications.wanted('nowhere', deploy);
  await on.applications.apply(wanted);
  const { code, lines } = await run(['nowhere']);
  expect(code).toBe(0);
  expect(lines.join('\n')).toMatch(/clusterSelector: no cluster matches\n.*nowhere has no destinations/);
});

describe('without helm on PATH', () => {
  /** A PATH with nothing but the terminal of the tests, and a cache without tools. */
  async function env(name: string): Promise<Record<string, string>> {
    const folder = path.join(world.dir, `${namespace}-${name}`);
    await mkdir(folder, { recursive: true });
    for (const program of ['stty', 'sh']) await symlink(`/bin/${program}`, path.join(folder, program));
    return { XDG_CACHE_HOME: folder, PATH: `${folder}:/usr/bin:/bin` };
  }

  async function onEuWest(name: string, prepare: (cache: string) => Promise<void> = () => Promise.resolve()) {
    const variables = await env(name);
    await prepare(toolCacheFolder(variables));
    const options = { columns: 2_000, helm: false, env: variables };
    const { destinations } = await printed(['shop', '--cluster', 'eu-west'], options);
    const [only] = destinations;
    return { ...only, values: new Map(only?.values.map((each) => [pathText(each.path), each.value])) };
  }

  test('only values of the template are missing, and that is said', async () => {
    const { state, message, values } = await onEuWest('nowhere');
    expect({ state, message }).toEqual({
      state: 'Incomplete',
      message: expect.stringContaining('there is no helm 4 on PATH; install it, or set'),
    });
    expect([values.get('replicas'), values.get('env'), values.has('region')]).toEqual([1, 'prod', false]);
  });

  test('that of a sandbox renders them', async () => {
    const { state, values } = await onEuWest('sandbox', async (cache) => {
      const file = cachedPath(await readModule('sandbox', cache), 'helm');
      await mkdir(path.dirname(file), { recursive: true });
      await symlink(world.tools.helm, file);
    });
    expect(state).not.toBe('Incomplete');
    expect([values.get('replicas'), values.get('env'), values.get('region')]).toEqual([2, 'prod', 'eu']);
  });
});

describe('Ctrl-C', () => {
  test('ends it while helm renders, and helm with it, and nothing is printed', async () => {
    const folder = path.join(world.dir, `${namespace}-slow`);
    await mkdir(folder);
    const [helm, pid] = [path.join(folder, 'helm'), path.join(folder, 'pid')];
    const slow = `echo $$ > ${pid}; exec sleep 600`;
    await writeFile(helm, `#!/bin/sh\n[ "$1" = version ] && exec ${world.tools.helm} "$@"\n${slow}\n`, { mode: 0o755 });
    const flags = ['-n', namespace, '--kubeconfig', world.host.kubeconfig, '--helm-path', helm];
    const terminal = fairleadAtTerminal(['explain', 'shop', ...flags], { columns: 200 });
    const running = await eventually(async () => {
      const id = Number(await readFile(pid, 'utf8'));
      expect(id).toBeGreaterThan(0);
      return id;
    });
    terminal.type(CTRL_C);
    expect(await terminal.exitCode).toBe(130);
    expect(screenOf(terminal.output()).join('\n')).toMatch(/^(\^C)?fairlead: interrupted$/);
    await eventually(() => expect(() => process.kill(running, 0)).toThrow('ESRCH'));
  });
});

describe('what does not exist', () => {
  test.each<[args: string[], says: RegExp]>([
    [['nothing'], /there is no Application nothing in namespace my-project: `.*fairlead.* status -A` shows all/],
    [
      ['shop', '--cluster', 'mars'],
      /--cluster mars: the Application has no destination on it; choose one of eu-west, us-east, us-west/,
    ],
  ])('%j is an error with the way out', async (args, says) => {
    const { code, lines } = await run(args);
    expect(code).toBe(1);
    expect(lines.join('')).toMatch(says);
  });
});

describe('a user with few rights', () => {
  test('reads the clusters of the namespace, and what he may not read is said', async () => {
    const list = ['secrets', 'helmtemplates.gitops.kubesphere.io', 'controllerrevisions.apps'];
    const kubeconfig = await limitedUser(world, namespace, { name: 'some', list, get: [APPLICATIONS] });
    const { code, lines } = await run(['shop', '--cluster', 'us-east'], { kubeconfig, columns: 500 });
    const said = lines.join('\n');
    expect({ code, said }).toMatchObject({ code: 0 });
    expect(said).toMatch(/^You may not read .*clustergrants\.gitops\.kubesphere\.io.*; ask an administrator/m);
    expect(said).toMatch(/^You may not list secrets of all namespaces: those outside of my-project look/m);
    expect(said).toMatch(/values\.replicas +3 +overrides\[0\]/);
  });

  test('may not read the Application, and learns it', async () => {
    const kubeconfig = await limitedUser(world, namespace, { name: 'none', list: ['pods'] });
    const { code, lines } = await run(['shop'], { kubeconfig });
    expect({ code, said: lines.join(' ') }).toMatchObject({
      code: 1,
      said: expect.stringContaining('cannot get') as unknown,
    });
  });
});
