import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mergeValuesFiles, readChartFolder } from '#controllers/source/helmchart/chart-folder.js';
import { OverrunError, type Offload } from '#runtime/isolation/offload.js';
import { TerminalError } from '#lib/errors.js';
import { cpuMsDuring } from '../../../support/cpu-time.js';

type Threads = Pick<Offload, 'run'>;

const CHART = { name: 'web', version: '1.0.0' };
const MEBIBYTE = 1024 * 1024;

let dir: string;
let handed: string[];
const threads: Threads = {
  run: async (task, input, tenant) => {
    handed.push(`${task.name} of ${tenant}`);
    return await task.run(input);
  },
};

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'chart-folder-'));
  handed = [];
});
afterEach(() => rm(dir, { recursive: true }));

const write = (name: string, text: string): Promise<void> => writeFile(path.join(dir, name), text);
const read = (): Promise<unknown> => readChartFolder({ offload: threads, tenant: 'shop' }, dir, 'the chart');

function merge(valuesFiles: string[], fields: { ignoreMissing?: boolean; offload?: Threads } = {}): Promise<string[]> {
  const spec = { valuesFiles, ignoreMissingValuesFiles: fields.ignoreMissing ?? false };
  const aside = { offload: fields.offload ?? threads, tenant: 'shop' };
  return mergeValuesFiles(aside, spec, { root: dir, chart: { ...CHART, path: dir } });
}

describe('Chart.yaml', () => {
  test('is read in another thread', async () => {
    await write('Chart.yaml', 'name: web\nversion: 2\n');
    expect(await read()).toEqual({ path: dir, name: 'web', version: '2' });
    expect(handed).toEqual(['chartYamlTask of shop']);
  });

  test.each([
    ['is missing', undefined, 'the chart has no Chart.yaml: correct spec.chart'],
    ['is a list', '[]', 'Chart.yaml of the chart is not a map'],
    ['is empty', '', 'Chart.yaml of the chart lacks name or version'],
    ['is not YAML', 'a: [', /^Chart\.yaml of the chart is not valid YAML: /],
    [
      'has 2 MB',
      `name: web\nversion: 1.0.0\ndescription: ${'d'.repeat(2 * MEBIBYTE)}\n`,
      'Chart.yaml of the chart has more than 1048576 bytes: shorten it',
    ],
  ])('that %s is refused', async (_title, text, message) => {
    if (text !== undefined) await write('Chart.yaml', text);
    const refused = read();
    await expect(refused).rejects.toThrow(TerminalError);
    await expect(refused).rejects.toMatchObject({ reason: 'InvalidChartReference' });
    await expect(refused).rejects.toThrow(message);
  });
});

describe('values files', () => {
  test('are merged in another thread, in the order of the spec', async () => {
    await write('a.yaml', 'a: {b: 1, c: 1}\n');
    await write('b.yaml', 'a: {c: 2}\n');
    expect(await merge(['a.yaml', 'none.yaml', 'b.yaml'], { ignoreMissing: true })).toEqual(['a.yaml', 'b.yaml']);
    expect(await readFile(path.join(dir, 'values.yaml'), 'utf8')).toBe('a:\n  b: 1\n  c: 2\n');
    expect(handed).toEqual(['mergeValuesTask of shop']);
  });

  test('that are none leave the chart as it is', async () => {
    expect(await merge([])).toEqual([]);
    expect(await merge(['none.yaml'], { ignoreMissing: true })).toEqual([]);
    await expect(readFile(path.join(dir, 'values.yaml'))).rejects.toThrow('ENOENT');
    expect(handed).toEqual([]);
  });

  test.each([
    ['of 5 MB', ['long.yaml'], "values file 'long.yaml' has more than 4194304 bytes: shorten it"],
    [
      'of 3 MB, twice',
      ['half.yaml', 'half.yaml'],
      "the values files up to 'half.yaml' have more than 4194304 bytes together: name fewer or shorter ones in spec.valuesFiles",
    ],
    ['with a line of 3 MB', ['half.yaml'], /hold a text that is too long to be written as YAML: shorten it$/],
    ['that are no map', ['list.yaml'], "values file 'list.yaml' is not a map"],
    ['that are no YAML', ['broken.yaml'], /^values file 'broken\.yaml' is not valid YAML: /],
    ['that are missing', ['none.yaml'], /^values file 'none\.yaml' named by spec\.valuesFiles does not exist/],
  ])('%s are refused', async (_title, names, message) => {
    await write('long.yaml', `a: ${'d'.repeat(5 * MEBIBYTE)}\n`);
    await write('half.yaml', `a: ${'d'.repeat(3 * MEBIBYTE)}\n`);
    await write('list.yaml', '[1]');
    await write('broken.yaml', 'a: [');
    const refused = merge(names);
    await expect(refused).rejects.toMatchObject({ reason: 'ValuesFilesError' });
    await expect(refused).rejects.toThrow(message);
  });

  test('that expand to more than 8 MB are refused', async () => {
    await write('a.yaml', `a: &a ${'d'.repeat(400_000)}\nb: [${Array(25).fill('*a').join(', ')}]\n`);
    const cpuMs = await cpuMsDuring(() =>
      expect(merge(['a.yaml'])).rejects.toThrow('the merged values have more than 8388608 characters'),
    );
    expect(cpuMs).toBeLessThan(5_000);
  });

  test('that take too long are refused', async () => {
    await write('a.yaml', 'a: 1\n');
    const offload = { run: () => Promise.reject(new OverrunError('takes longer than 10 s')) };
    const refused = merge(['a.yaml'], { offload });
    await expect(refused).rejects.toMatchObject({ reason: 'ValuesFilesError' });
    await expect(refused).rejects.toThrow('merging the values files takes longer than 10 s');
  });
});
