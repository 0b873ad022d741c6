import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packAside } from '#controllers/source/pack-aside.js';
import { createOffload } from '#runtime/isolation/offload.js';
import { TransientError } from '#lib/errors.js';
import { builtForm } from '../../support/offload.js';

let root: string;
let keys: (string | undefined)[];

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'fairlead-pack-'));
  await mkdir(path.join(root, 'files', 'deep'), { recursive: true });
  keys = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function pack(selection?: unknown): Promise<boolean> {
  const file = path.join(root, 'out.tar.gz');
  const packing = { revision: 'main@sha1:0976950', selection, folder: path.join(root, 'files'), file };
  const run = async (task: { key?: string; run: (input: string) => string | Promise<string> }, input: string) => {
    keys.push(task.key);
    return task.run(input);
  };
  await packAside({ run }, packing, 'shop');
  return existsSync(file);
}

test('a long file of patterns is read, and one that is too long is named', async () => {
  const file = path.join(root, 'files', 'deep', '.sourceignore');
  await writeFile(file, '#'.repeat(1024 * 1024));
  expect(await pack()).toBe(true);
  await writeFile(file, '#'.repeat(1024 * 1024 + 1));
  await expect(pack()).rejects.toMatchObject({
    reason: 'ArchiveOperationFailed',
    message: "'deep/.sourceignore' is larger than 1 MiB: shorten it",
  });
});

test('names that are not UTF-8 are named, of files and of folders', async () => {
  const files = path.join(root, 'files', 'deep');
  const odd = Buffer.concat([Buffer.from(path.join(files, 'a')), Buffer.from([0xff])]);
  const refused = {
    reason: 'ArchiveOperationFailed',
    message: expect.stringMatching(/"deep\/a.*" is not UTF-8/) as unknown,
  };
  await writeFile(odd, 'x');
  await expect(pack()).rejects.toMatchObject(refused);
  await rm(odd);
  await mkdir(odd);
  await writeFile(Buffer.concat([odd, Buffer.from('/file')]), 'x');
  await expect(pack()).rejects.toMatchObject(refused);
});

test('names that are not UTF-8 do not matter where they are excluded', async () => {
  const deep = Buffer.from(path.join(root, 'files', 'deep'));
  const odd = Buffer.concat([deep, Buffer.from('/a'), Buffer.from([0xff])]);
  await mkdir(odd);
  await writeFile(Buffer.concat([odd, Buffer.from('/file')]), 'x');
  await writeFile(path.join(root, 'files', '.sourceignore'), 'deep/\n');
  expect(await pack()).toBe(true);
});

test('another selection of the same revision is another task', async () => {
  for (const folder of ['a', 'b', 'b']) await pack({ sparseCheckout: [folder] });
  expect(new Set(keys).size).toBe(2);
});

const HUNGRY =
  'export const packTask = { run: () => { for (const all = []; ; ) all.push(new Array(1e6).fill(1.5)); } };';

test('a packing that costs too much is reported and retried', async () => {
  const offload = createOffload({
    locate: (url) =>
      url.includes('pack-aside') ? `data:text/javascript,${encodeURIComponent(HUNGRY)}` : builtForm(url),
  });
  const packing = { revision: 'main@sha1:1', selection: {}, folder: '/none', file: '/none.tgz' };
  const error: unknown = await packAside(offload, packing, 'team').catch((thrown: unknown) => thrown);
  await offload.close();
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({
    reason: 'ArchiveOperationFailed',
    message: "packing revision 'main@sha1:1' takes too much memory: exclude unneeded files, with fewer patterns",
  });
});
