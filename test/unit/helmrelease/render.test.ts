import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Run, RunOptions } from '#engine/process/run.js';
import { chartTraits } from '#controllers/helmrelease/model/chart-traits.js';
import { apiVersionFlags, createRender, problemOf, type RenderInput } from '#controllers/helmrelease/render.js';

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

test('problemOf keeps helm’s message without paths of this machine', () => {
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
const LOOKUP = { ...TRAITS, usesLookup: true };

function input(change: Partial<RenderInput> = {}): RenderInput {
  return {
    chartPath: path.join(dir, 'web.tgz'),
    chartDigest: 'sha256:a',
    chartVersion: undefined,
    releaseName: 'web',
    namespace: 'apps',
    values: { password: 's3cret' },
    capabilities: { kubeVersion: 'v1.35.4', apiVersions: ['v1'] },
    isUpgrade: false,
    traits: TRAITS,
    revision: 1,
    skipSchemaValidation: false,
    timeoutMs: 300_000,
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
  /** Size of the chart that helm was given. */
  readonly chartBytes: number;
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
      const { size: chartBytes } = await stat(args.at(-1) ?? '');
      const mode = (await stat(file)).mode & 0o777;
      calls.push({ args, options, values: await readFile(file, 'utf8'), mode, chartBytes });
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
  await writeFile(path.join(dir, 'web.tgz'), '');
});
afterAll(() => rm(dir, { recursive: true }));

describe('createRender', () => {
  test('without a cluster gives the stated capabilities also to a chart that uses lookup', async () => {
    const { calls, run, scratch } = recorder();
    const traits = { ...input().traits, usesLookup: true };
    await createRender({ run, scratch, helmPath: 'helm' })(input({ traits, cluster: undefined }));
    expect(calls[0]?.args).toEqual(expect.arrayContaining([expect.stringMatching(/^--kube-version=/)]));
    expect(calls[0]?.args.join(' ')).not.toContain('--dry-run=server');
  });

  test('gives values in a private file that does not outlive the process, never as arguments', async () => {
    const { calls, run, scratch } = recorder();
    await createRender({ run, scratch, helmPath: 'helm' })(input());
    expect(calls[0]).toMatchObject({ values: '{"password":"s3cret"}', mode: 0o600 });
    expect(calls[0]?.args.join(' ')).not.toContain('s3cret');
    expect(calls[0]?.args.slice(-3)).toEqual(['--', 'web', path.join(calls[0]?.options.cwd ?? '', 'chart.tgz')]);
    await expect(stat(calls[0]?.options.cwd ?? '')).rejects.toThrow('ENOENT');
  });

  test('renders the same input once', async () => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    expect(await render(input())).toEqual(await render(input()));
    expect(calls).toHaveLength(1);
  });

  test('caches a rejection as well', async () => {
    const { calls, run, scratch } = recorder(1);
    const render = createRender({ run, scratch, helmPath: 'helm' });
    expect(await render(input())).toEqual({ problem: 'no' });
    await render(input());
    expect(calls).toHaveLength(1);
  });

  test('neither takes an error of the machine for a rejection, nor caches it', async () => {
    const { calls, run, scratch } = recorder(2);
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await expect(render(input())).rejects.toMatchObject({ reason: 'ProcessFailed' });
    await expect(render(input())).rejects.toMatchObject({ reason: 'ProcessFailed' });
    expect(calls).toHaveLength(2);
  });

  test('an archive that was lost is an error, and never shown to helm', async () => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await expect(render(input({ chartPath: path.join(dir, 'gone.tgz') }))).rejects.toThrow('ENOENT');
    expect(calls).toEqual([]);
  });

  test.each<[string, Partial<RenderInput>, number]>([
    ['a chart has a minute', { timeoutMs: 3_600_000 }, 60_000],
    ['one that asks the cluster has as long as its action', { timeoutMs: 300_000, traits: LOOKUP }, 300_000],
    ['but a minute at least', { timeoutMs: 1_000, traits: LOOKUP }, 60_000],
    ['and ten minutes at most', { timeoutMs: 86_400_000, traits: LOOKUP }, 600_000],
  ])('%s', async (_name, change, expected) => {
    const { calls, run, scratch } = recorder();
    await createRender({ run, scratch, helmPath: 'helm' })(input(change));
    expect(calls[0]?.options.timeoutMs).toBe(expected);
  });

  test.each<[string, Partial<RenderInput>]>([
    ['chart', { chartDigest: 'sha256:b' }],
    ['version of the chart', { chartVersion: '1.0.0+0123456789ab' }],
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
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await render(input({ ...change, revision: 1 }));
    await render(input({ ...change, revision: 2 }));
    expect(calls).toHaveLength(times);
  });

  test('a chart is rendered as it is, or with what it needs in front of it', async () => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    await render(input());
    await render(input({ chartDigest: 'sha256:b', traits: { ...TRAITS, hasNotes: true } }));
    expect(calls.map(({ chartBytes }) => chartBytes > 0)).toEqual([false, true]);
  });

  test('a chart that uses lookup can read the cluster, and is rendered each time', async () => {
    const { calls, run, scratch } = recorder();
    const render = createRender({ run, scratch, helmPath: 'helm' });
    const change = { traits: { ...TRAITS, usesLookup: true } };
    await render(input(change));
    await render(input(change));
    expect(calls).toHaveLength(2);
    expect(calls[0]?.args).toContain('--dry-run=server');
    expect(calls[0]?.args.join(' ')).not.toContain('--api-versions');
  });
});
