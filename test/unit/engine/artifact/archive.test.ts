import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, list, type HeaderData } from 'tar';
import { DEFAULT_LIMITS, packDirectory, unpack } from '#engine/artifact/archive.js';
import { NO_SPACE } from '#engine/artifact/disk-error.js';
import { LostArtifactError } from '#engine/artifact/lost-artifact.js';
import { cpuMsDuring } from '../../../support/cpu-time.js';
import { mountSmallDisk, testWithDisk } from '../../../support/small-disk.js';
import { tarEntry } from '../../../support/tar-entry.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'archive-'));
  await mkdir(join(dir, 'in', 'sub'), { recursive: true });
  await writeFile(join(dir, 'in', 'b.txt'), 'b');
  await writeFile(join(dir, 'in', '@a.txt'), 'a');
  await writeFile(join(dir, 'in', 'sub', 'c.txt'), 'c');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const at = (name: string): string => join(dir, name);

test('the same files give the same bytes, and come back', async () => {
  await packDirectory(at('in'), at('one.tgz'));
  await utimes(at('in/b.txt'), 1, 1);
  await packDirectory(at('in'), at('two.tgz'));
  expect(await readFile(at('one.tgz'))).toEqual(await readFile(at('two.tgz')));
  await unpack(at('one.tgz'), at('out'));
  expect(await readFile(at('out/sub/c.txt'), 'utf8')).toBe('c');
  expect(await readFile(at('out/@a.txt'), 'utf8')).toBe('a');
});

test('ignored paths and links stay out; an empty folder packs too', async () => {
  await symlink('/etc/passwd', at('in/link'));
  await packDirectory(at('in'), at('a.tgz'), { ignore: (path) => path === 'sub' });
  const names: string[] = [];
  await list({ file: at('a.tgz'), onReadEntry: (entry) => void names.push(entry.path) });
  expect(names.map((name) => name.replace('./', ''))).toEqual(['@a.txt', 'b.txt']);
  await mkdir(at('empty'));
  await packDirectory(at('empty'), at('empty.tgz'));
  await unpack(at('empty.tgz'), at('out'));
});

test('a name that is not UTF-8 is refused by its name', async () => {
  const name = Buffer.concat([Buffer.from(at('in/sub/a')), Buffer.from([0xff])]);
  await writeFile(name, 'x');
  const refused = {
    reason: 'ArchiveOperationFailed',
    message: expect.stringMatching(/"sub\/a.*" is not UTF-8: rename it$/) as unknown,
  };
  await expect(packDirectory(at('in'), at('a.tgz'))).rejects.toMatchObject(refused);
  await packDirectory(at('in'), at('a.tgz'), { ignore: (path) => path.startsWith('sub/a') });
});

test('a name in an archive that is not UTF-8 is unpacked with a replacement character', async () => {
  await create({ file: at('odd.tar'), cwd: at('in'), portable: true, mtime: new Date(0) }, ['b.txt']);
  const tar = await readFile(at('odd.tar'));
  tar[0] = 0xff;
  tar.fill(' ', 148, 156);
  const checksum = tar.subarray(0, 512).reduce((sum, byte) => sum + byte, 0);
  tar.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  await writeFile(at('odd.tgz'), gzipSync(tar));
  await unpack(at('odd.tgz'), at('out'));
  expect(await readdir(at('out'))).toEqual(['\ufffd.txt']);
});

test('a link is refused', async () => {
  await symlink('/etc/passwd', at('in/link'));
  await create({ file: at('bad.tgz'), gzip: true, cwd: at('in') }, ['link']);
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({ reason: 'ArchiveInvalid' });
});

test('a path that leads out is refused', async () => {
  await create({ file: at('bad.tgz'), gzip: true, cwd: at('in/sub'), preservePaths: true }, ['../b.txt']);
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({ reason: 'ArchiveInvalid' });
});

test('limits on files and bytes hold', async () => {
  await writeFile(at('in/big'), Buffer.alloc(1024 * 1024));
  await packDirectory(at('in'), at('a.tgz'));
  const limits = { ...DEFAULT_LIMITS, maxBytes: 100_000 };
  await expect(unpack(at('a.tgz'), at('o1'), limits)).rejects.toMatchObject({ reason: 'ArchiveTooLarge' });
  expect((await stat(at('o1/big'))).size).toBeLessThan(256 * 1024);
  const few = { ...DEFAULT_LIMITS, maxFiles: 2 };
  await expect(unpack(at('a.tgz'), at('o2'), few)).rejects.toMatchObject({ reason: 'ArchiveTooLarge' });
});

test.each([
  ['not gzip', 'hello'],
  ['empty', ''],
])('what is no archive (%s) is refused', async (_name, content) => {
  await writeFile(at('bad.tgz'), content);
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({ reason: 'ArchiveInvalid' });
});

test('an archive that is compressed twice is rejected: tar would unpack it without limits', async () => {
  await writeFile(at('in/big'), Buffer.alloc(1024 * 1024));
  await packDirectory(at('in'), at('a.tgz'));
  await writeFile(at('bad.tgz'), gzipSync(await readFile(at('a.tgz'))));
  const limits = { ...DEFAULT_LIMITS, maxBytes: 100_000 };
  await expect(unpack(at('bad.tgz'), at('out'), limits)).rejects.toMatchObject({ reason: 'ArchiveInvalid' });
  expect(await readdir(at('out'))).toEqual([]);
});

test.each<[string, HeaderData, string]>([
  ['an absolute path', { path: '/etc/passwd', type: 'File' }, 'the path "/etc/passwd", which leads out of it'],
  ['a path of Windows', { path: 'C:\\x', type: 'File' }, 'the path "C:\\\\x", which leads out of it'],
  ['a path upwards in its middle', { path: 'a/../../x', type: 'File' }, 'the path "a/../../x", which leads out of it'],
  ['a link to a folder outside', { path: 'a', type: 'SymbolicLink', linkpath: '/etc' }, '"a", a symbolic link'],
  ['a hard link to a file outside', { path: 'a', type: 'Link', linkpath: '/etc/passwd' }, '"a", a hard link'],
  ['a hard link to itself', { path: 'a', type: 'Link', linkpath: 'a' }, '"a", a hard link'],
  ['a character device', { path: 'a', type: 'CharacterDevice', devmaj: 1, devmin: 5 }, '"a", a character device'],
  ['a block device', { path: 'a', type: 'BlockDevice', devmaj: 8, devmin: 0 }, '"a", a block device'],
  ['a named pipe', { path: 'a', type: 'FIFO' }, '"a", a named pipe'],
])('%s is rejected, and nothing is written', async (_title, fields, problem) => {
  await writeFile(at('bad.tgz'), gzipSync(Buffer.concat([tarEntry(fields), Buffer.alloc(1024)])));
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({
    reason: 'ArchiveInvalid',
    message: expect.stringContaining(`archive "bad.tgz" contains ${problem}`) as unknown,
  });
  expect(await readdir(at('out'))).toEqual([]);
});

test('a hard link to a file of the archive is rejected before what follows it', async () => {
  const entries = [
    tarEntry({ path: 'a', type: 'File' }, Buffer.from('a')),
    tarEntry({ path: 'b', type: 'Link', linkpath: 'a' }),
    tarEntry({ path: 'b', type: 'File' }, Buffer.from('other')),
  ];
  await writeFile(at('bad.tgz'), gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])));
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toThrow('contains "b", a hard link');
  expect(await readdir(at('out'))).not.toContain('b');
});

test('a file that never ends is given up at the ratio, far below the limit on bytes', async () => {
  const bomb = gzipSync(Buffer.concat([tarEntry({ path: 'a', type: 'File' }, Buffer.alloc(64 * 1024 * 1024))]));
  await writeFile(at('bad.tgz'), bomb);
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({ reason: 'ArchiveTooLarge' });
  expect((await stat(at('out/a'))).size).toBeLessThan(32 * 1024 * 1024);
});

test('of more files than allowed, none is written but the first, and the rest costs nothing', async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => tarEntry({ path: `f${index}`, type: 'File' }));
  await writeFile(at('bad.tgz'), gzipSync(Buffer.concat(names)));
  const limits = { ...DEFAULT_LIMITS, maxFiles: 100 };
  const cpuMs = await cpuMsDuring(() =>
    expect(unpack(at('bad.tgz'), at('out'), limits)).rejects.toMatchObject({ reason: 'ArchiveTooLarge' }),
  );
  expect((await readdir(at('out'))).length).toBeLessThanOrEqual(100);
  expect(cpuMs).toBeLessThan(1_000);
});

test('an archive that ends in the middle is rejected', async () => {
  await packDirectory(at('in'), at('a.tgz'));
  await writeFile(at('bad.tgz'), (await readFile(at('a.tgz'))).subarray(0, 100));
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({ reason: 'ArchiveInvalid' });
});

test('an archive that is removed before it is read is fetched again, not refused', async () => {
  await expect(unpack(at('gone.tgz'), at('out'))).rejects.toBeInstanceOf(LostArtifactError);
});

test('an archive that the machine cannot read is retried, not refused', async () => {
  await expect(unpack(at('in'), at('out'))).rejects.toMatchObject({
    name: 'TransientError',
    reason: 'StorageOperationFailed',
    message: 'archive "in" cannot be unpacked on this machine: EISDIR',
  });
});

test('several files that cannot be written are one error, and the process stays', async () => {
  await packDirectory(at('in'), at('a.tgz'));
  // No file can be made there, whoever asks.
  await expect(unpack(at('a.tgz'), '/proc/self')).rejects.toMatchObject({
    name: 'TransientError',
    reason: 'StorageOperationFailed',
    message: expect.stringMatching(/^archive "a.tgz" cannot be unpacked on this machine: (ENOENT|EACCES)$/) as unknown,
  });
});

testWithDisk('a disk that gets full is not blamed on the archive', async () => {
  await writeFile(at('in/big'), randomBytes(256 * 1024));
  await packDirectory(at('in'), at('a.tgz'));
  const disk = mountSmallDisk(64 * 1024);
  try {
    const full = { name: 'TransientError', reason: 'StorageOperationFailed', message: NO_SPACE };
    await expect(unpack(at('a.tgz'), join(disk.root, 'out'))).rejects.toMatchObject(full);
  } finally {
    disk.unmount();
  }
});

test('a file below a file is blamed on the archive', async () => {
  const files = ['a', 'a/b'].map((path) => tarEntry({ path, type: 'File' }));
  await writeFile(at('bad.tgz'), gzipSync(Buffer.concat([...files, Buffer.alloc(1024)])));
  await expect(unpack(at('bad.tgz'), at('out'))).rejects.toMatchObject({ reason: 'ArchiveInvalid' });
});
