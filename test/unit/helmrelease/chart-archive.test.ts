import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { create } from 'tar';
import { archivePrefix, readChartArchive } from '#controllers/helmrelease/chart-archive.js';
import { TerminalError } from '#lib/errors.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'chart-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** Contents are bytes as `binary` strings hold them. */
async function pack(files: Record<string, string>): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir, 'web', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, 'binary');
  }
  const archive = path.join(dir, 'web.tgz');
  await create({ gzip: true, cwd: dir, file: archive }, ['web']);
  return archive;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const CHART = 'apiVersion: v2\nname: web\nversion: 1.0.0\n';

test('a chart is read as Helm records it: subcharts are left out', async () => {
  const archive = await pack({
    'Chart.yaml': CHART,
    'Chart.lock': 'digest: sha256:a\n',
    'values.yaml': 'mode: 0644\n',
    'values.schema.json': '{}',
    'templates/a.yaml': 'a',
    'templates/tests/b.yaml': 'b',
    'charts/sub/Chart.yaml': CHART,
    'charts/_off/readme': '',
    'README.md': '# web',
    'crds/c.yaml': 'c',
  });
  const { record } = await readChartArchive(archive);
  expect(record).toMatchObject({
    metadata: { apiVersion: 'v2', name: 'web', version: '1.0.0' },
    lock: { digest: 'sha256:a' },
    values: { mode: 420 },
    schema: base64('{}'),
  });
  const names = (files: typeof record.files): string[] => (files ?? []).map(({ name }) => name).sort();
  expect(names(record.templates)).toEqual(['templates/a.yaml', 'templates/tests/b.yaml']);
  expect(names(record.files)).toEqual(['README.md', 'crds/c.yaml']);
  expect(record.templates?.find(({ name }) => name === 'templates/a.yaml')?.data).toBe(base64('a'));
});

test('what a chart does not have is null, as in Go', async () => {
  const { record } = await readChartArchive(await pack({ 'Chart.yaml': 'name: web\nversion: 1.0.0\n' }));
  expect(record).toEqual({
    metadata: { apiVersion: 'v1', name: 'web', version: '1.0.0' },
    lock: null,
    templates: null,
    values: null,
    schema: null,
    files: null,
  });
});

test('links are not read', async () => {
  await mkdir(path.join(dir, 'web', 'templates'), { recursive: true });
  await symlink('/etc/hostname', path.join(dir, 'web', 'templates', 'host'));
  expect((await readChartArchive(await pack({ 'Chart.yaml': CHART }))).record.templates).toBeNull();
});

test.each([
  ['no Chart.yaml', { 'values.yaml': '' }],
  ['a Chart.yaml without a version', { 'Chart.yaml': 'name: web\n' }],
  ['a subchart without Chart.yaml', { 'Chart.yaml': CHART, 'charts/db/values.yaml': '' }],
  ['a subchart with an invalid name', { 'Chart.yaml': CHART, 'charts/db/Chart.yaml': 'name: ..\nversion: 1.0.0\n' }],
  ['values that are no YAML', { 'Chart.yaml': CHART, 'values.yaml': 'a: [' }],
])('%s is refused', async (_name, files: Record<string, string>) => {
  await expect(readChartArchive(await pack(files))).rejects.toThrow(TerminalError);
});

test('a file that is not an archive is rejected', async () => {
  const file = path.join(dir, 'x.tgz');
  await writeFile(file, 'hello');
  await expect(readChartArchive(file)).rejects.toThrow(TerminalError);
});

test('subcharts count for what a chart asks of its rendering, packed ones too', async () => {
  const sub = await pack({ 'Chart.yaml': CHART, 'templates/a/b.yaml': '{{ .Release.Revision }}' });
  await mkdir(path.join(dir, 'inner'));
  await rename(sub, path.join(dir, 'inner', 'web.tgz'));
  await rm(path.join(dir, 'web'), { recursive: true });
  const { traits } = await readChartArchive(
    await pack({
      'Chart.yaml': CHART,
      'charts/web.tgz': await readFile(path.join(dir, 'inner', 'web.tgz'), 'binary'),
    }),
  );
  expect(traits).toMatchObject({ name: 'web', depth: 5, usesRevision: true, usesLookup: false, hasNotes: false });
});

test('templates are added in front of a chart that stays as it is', async () => {
  const archive = await pack({ 'Chart.yaml': CHART, 'templates/a.yaml': 'a' });
  const deep = `templates/${'z/'.repeat(60)}first.yaml`;
  const prefix = archivePrefix([
    { path: deep, text: 'x'.repeat(600) },
    { path: 'templates/notes.yaml', text: '' },
  ]);
  await writeFile(archive, Buffer.concat([prefix, await readFile(archive)]));
  const { record } = await readChartArchive(archive);
  expect(record.templates).toEqual([
    { name: deep, data: base64('x'.repeat(600)) },
    { name: 'templates/notes.yaml', data: '' },
    { name: 'templates/a.yaml', data: base64('a') },
  ]);
});

/** A packed chart in which one file repeats a byte. */
async function bomb(bytes: number): Promise<string> {
  const archive = await pack({ 'Chart.yaml': CHART, 'big.txt': 'x'.repeat(bytes) });
  const text = await readFile(archive, 'binary');
  await rm(path.join(dir, 'web'), { recursive: true });
  return text;
}

const MEBIBYTE = 1024 * 1024;

test('a chart and what is packed within share one limit', async () => {
  const inner = await bomb(6 * MEBIBYTE);
  const charts = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`charts/c${index}.tgz`, inner]));
  await readChartArchive(await pack({ 'Chart.yaml': CHART, ...charts(5) }));
  await expect(readChartArchive(await pack({ 'Chart.yaml': CHART, ...charts(6) }))).rejects.toThrow(
    /contains more than 33554432 bytes, with all packed charts$/,
  );
});

test('an archive ends where the limit does, not where its data do', async () => {
  const archive = await pack({ 'Chart.yaml': CHART });
  await writeFile(archive, gzipSync(Buffer.alloc(512 * MEBIBYTE)));
  const before = process.memoryUsage().rss;
  await expect(readChartArchive(archive)).rejects.toThrow(/contains more than 33554432 bytes/);
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * MEBIBYTE);
});

test('an archive that is compressed twice is rejected: the inner one has no limits', async () => {
  const archive = await pack({ 'Chart.yaml': CHART });
  await writeFile(archive, gzipSync(await readFile(archive)));
  await expect(readChartArchive(archive)).rejects.toThrow(/is compressed twice$/);
});
