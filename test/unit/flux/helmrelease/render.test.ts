import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Run, RunOptions } from '../../../../controllers/engine/process/types.js';
import { chartTraits } from '../../../../controllers/flux/helmrelease/model/chart-traits.js';
import {
  apiVersionFlags,
  createRender,
  problemOf,
  type RenderInput,
} from '../../../../controllers/flux/helmrelease/render.js';

describe('apiVersionFlags', () => {
  test('is one flag for a usual cluster', () => {
    expect(apiVersionFlags(['v1', 'apps/v1'])).toEqual(['--api-versions=v1,apps/v1']);
    expect(apiVersionFlags([])).toEqual([]);
  });

  test('is split before an argument gets too long, and loses nothing', () => {
    const versions = Array.from({ length: 5_000 }, (_none, index) => `group-${index}.example.com/v1/Kind${index}`);
    const flags = apiVersionFlags(versions);
    expect(flags.length).toBeGreaterThan(1);
    expect(Math.max(...flags.map((flag) => flag.length))).toBeLessThan(128 * 1024);
    expect(flags.flatMap((flag) => flag.replace('--api-versions=', '').split(','))).toEqual(versions);
  });
});

test('problemOf keeps helm’s words and drops what is of this machine', () => {
  const stderr = `level=WARN msg="x"
Error: values don't meet the specifications of the schema(s) in the following chart(s):
web:
- at '/replicas': got string, want integer

Use --debug flag to render out invalid YAML
`;
  expect(problemOf(stderr, '/tmp/scratch', '/store/web.tgz')).toBe(
    "values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n- at '/replicas': got string, want integer",
  );
  expect(problemOf('Error: /store/web.tgz: no', '/tmp/scratch', '/store/web.tgz')).toBe('chart: no');
});

const TRAITS = chartTraits('web', []);

function input(change: Partial<RenderInput> = {}): RenderInput {
  return {
    chartPath: '/store/web.tgz',
    chartDigest: 'sha256:a',
    releaseName: 'web',
    namespace: 'apps',
    values: { password: 's3cret' },
    capabilities: { kubeVersion: 'v1.35.4', apiVersions: ['v1'] },
    isUpgrade: false,
    traits: TRAITS,
    revision: 1,
    skipSchemaValidation: false,
    cluster: { read: () => Promise.reject(new Error('not asked')) },
    signal: new AbortController().signal,
    ...change,
  };
}

interface Call {
  readonly args: readonly string[];
  readonly options: RunOptions;
  readonly values: string;
  readonly mode: number;
}

/** Records what would be run, and the values file as it was then. */
function recorder(code = 0): {
  calls: Call[];
  run: Run;
  scratch: () => Promise<{ path: string; dispose: () => Promise<void> }>;
} {
  const calls: Call[] = [];
  return {
    calls,
    async run(_command, args, options) {
      const file = path.join(options.cwd ?? '', 'values.json');
      calls.push({ args, options, values: await readFile(file, 'utf8'), mode: (await stat(file)).mode & 0o777 });
      return { code, stdout: '---\n', stderr: 'Error: no' };
    },
    async scratch() {
      const dir = await mkdtemp(path.join(tmpdir(), 'render-'));
      return { path: dir, dispose: () => rm(dir, { recursive: true }) };
    },
  };
}

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'charts-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function emptyChart(): Promise<string> {
  const file = path.join(dir, 'web.tgz');
  await writeFile(file, '');
  return file;
}

describe('createRender', () => {
  test('gives values in a private file that does not outlive the process, never as arguments', async () => {
    const { calls, run, scratch } = recorder();
    await createRender({ run, scratch, helmPath: 'helm' })(input());
    expect(calls[0]).toMatchObject({ values: '{"password":"s3cret"}', mode: 0o600 });
    expect(calls[0]?.args.join(' ')).not.toContain('s3cret');
    expect(calls[0]?.args.slice(-3)).toEqual(['--', 'web', '/store/web.tgz']);
    await expect(stat(calls[0]?.options.cwd ?? '')).rejects.toThrow('ENOENT');
  });

  test('renders the same input once', async () => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    expect(await render(input())).toEqual(await render(input()));
    expect(calls).toHaveLength(1);
  });

  test('remembers a refusal, too', async () => {
    const { calls, run, scratch } = recorder(1);
    const render = createRender({ run, scratch, helmPath: 'helm' });
    expect(await render(input())).toEqual({ problem: 'no' });
    await render(input());
    expect(calls).toHaveLength(1);
  });

  test.each<[string, Partial<RenderInput>]>([
    ['chart', { chartDigest: 'sha256:b' }],
    ['values', { values: {} }],
    ['name', { releaseName: 'shop' }],
    ['namespace', { namespace: 'x' }],
    ['cluster', { capabilities: { kubeVersion: 'v1.36.0', apiVersions: ['v1'] } }],
    ['kind of action', { isUpgrade: true }],
  ])('another %s is rendered anew', async (_name, change) => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await render(input());
    await render(input(change));
    expect(calls).toHaveLength(2);
  });

  test.each<[string, Partial<RenderInput>, number]>([
    ['does not ask for it', {}, 1],
    ['asks for it', { traits: { ...TRAITS, usesRevision: true } }, 2],
    ['may get a template that asks for it', { values: { text: '{{ .Release.Revision }}' } }, 2],
  ])('the revision counts only for a chart that %s', async (_name, change, times) => {
    const { calls, run, scratch } = recorder();
    const chartPath = await emptyChart();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await render(input({ ...change, chartPath, revision: 1 }));
    await render(input({ ...change, chartPath, revision: 2 }));
    expect(calls).toHaveLength(times);
  });

  test('a chart is rendered as it is, or with what it needs in front of it', async () => {
    const { calls, run, scratch } = recorder();
    const chartPath = await emptyChart();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await render(input({ chartPath }));
    await render(input({ chartPath, chartDigest: 'sha256:b', traits: { ...TRAITS, hasNotes: true } }));
    expect(calls.map(({ args, options }) => args.at(-1)?.replace(options.cwd ?? '', 'scratch'))).toEqual([
      chartPath,
      'scratch/chart.tgz',
    ]);
  });

  test('a chart that looks objects up gets a cluster to read, and is rendered each time', async () => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    const change = { chartPath: await emptyChart(), traits: { ...TRAITS, usesLookup: true } };
    await render(input(change));
    await render(input(change));
    expect(calls).toHaveLength(2);
    expect(calls[0]?.args).toContain('--dry-run=server');
    expect(calls[0]?.args.join(' ')).not.toContain('--api-versions');
  });
});
