import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from 'tar';
import { chooseChart } from '#controllers/source/local/chart-choice.js';
import { wantedChart } from '#controllers/source/model/choose-version.js';
import type { Offload } from '#runtime/isolation/offload.js';

const offload: Pick<Offload, 'run'> = { run: async (task, input) => await task.run(input) };
const { signal } = new AbortController();
let dir: string;

async function folder(at: string, name: string, version: string): Promise<void> {
  await mkdir(path.join(dir, at), { recursive: true });
  await writeFile(path.join(dir, at, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: ${version}\n`);
}

async function archive(at: string, name: string, version: string): Promise<void> {
  const work = `work-${name}-${version}`;
  await folder(`${work}/${name}`, name, version);
  await create({ gzip: true, cwd: path.join(dir, work), file: path.join(dir, at) }, [name]);
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'local-charts-'));
  await mkdir(path.join(dir, 'charts'));
  await folder('charts/web', 'web', '1.2.0');
  await folder('charts/web-2', 'web', '2.0.0');
  await folder('charts/web-ui', 'web-ui', '9.0.0');
  await mkdir(path.join(dir, 'charts/web-notes'));
  await archive('charts/web-1.10.0.tgz', 'web', '1.10.0');
  await archive('charts/web-2.1.0-rc.1.tgz', 'web', '2.1.0-rc.1');
  await folder('elsewhere', 'linked', '1.0.0');
  await symlink(path.join(dir, 'elsewhere'), path.join(dir, 'charts/linked'));
});
afterAll(() => rm(dir, { recursive: true }));

async function chosen(at: string, chart: string, version?: string): Promise<string> {
  const wanted = wantedChart({ chart, ...(version === undefined ? {} : { version }) });
  const found = await chooseChart({ offload, tenant: 'shop' }, path.join(dir, at), { wanted, signal });
  return path.relative(dir, found.path);
}

it.each([
  ['1.x', 'charts/web-1.10.0.tgz'],
  ['1.2.0', 'charts/web'],
  [undefined, 'charts/web-2'],
  ['>=2.1.0-0', 'charts/web-2.1.0-rc.1.tgz'],
])('of a folder of charts, %s is the highest version that is allowed', async (version, expected) => {
  expect(await chosen('charts', 'web', version)).toBe(expected);
});

it('a chart in a folder or an archive of its own is the only one', async () => {
  expect(await chosen('charts/web', 'web')).toBe('charts/web');
  expect(await chosen('charts/web-1.10.0.tgz', 'web')).toBe('charts/web-1.10.0.tgz');
});

it('a chart of a registry may be below a path', async () => {
  expect(await chosen('.', 'charts/web', '1.2.0')).toBe('charts/web');
});

it.each([
  ['charts', 'web', '3.x', /no 'web' chart with version matching '3.x' found: the versions are 2.1.0-rc.1, 2.0.0, /],
  ['charts', 'api', '*', /charts has neither a folder api nor api-VERSION\.tgz$/],
  ['charts', 'linked', '*', /neither a folder linked nor/],
  ['charts', '../charts/web-ui/../../elsewhere', '*', /neither a folder/],
  ['charts/web', 'api', '*', /no chart 'api' found: the repository has web; correct spec.chart$/],
])('refuses in %s the chart %s %s', async (at, chart, version, message) => {
  await expect(chosen(at, chart, version)).rejects.toMatchObject({
    reason: 'InvalidChartReference',
    message: expect.stringMatching(message),
  });
});
