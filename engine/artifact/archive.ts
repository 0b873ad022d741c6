import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Pack, Unpack, type ReadEntry } from 'tar';
import { TerminalError, TransientError } from '#lib/errors.js';
import { diskError, machineProblem, onDisk } from './disk-error.js';
import { LostArtifactError } from './lost-artifact.js';

/** Blocks of 512 bytes: what the headers of one entry take at most, extended ones included. */
const ENTRY_OVERHEAD = 4 * 512;
const FILE_TYPES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile']);
/** What messages call the others, by the names that tar has for them. */
const OTHER_TYPES: ReadonlyMap<string, string> = new Map([
  ['SymbolicLink', 'a symbolic link'],
  ['Link', 'a hard link'],
  ['CharacterDevice', 'a character device'],
  ['BlockDevice', 'a block device'],
  ['FIFO', 'a named pipe'],
]);
/** Absolute, or upwards. */
const ESCAPE = /^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/;

export interface PackOptions {
  /** True for paths (relative to the folder, with `/`) that stay out, with all that is below them. */
  readonly ignore?: (path: string, isDirectory: boolean) => boolean;
}

export interface UnpackLimits {
  /** Files and folders. */
  readonly maxFiles: number;
  /** Bytes after decompression. */
  readonly maxBytes: number;
  /** Bytes after decompression per byte of the archive. */
  readonly maxRatio: number;
}

export const DEFAULT_LIMITS: UnpackLimits = { maxFiles: 50_000, maxBytes: 512 * 1024 * 1024, maxRatio: 200 };
/** For a chart with all that is packed within: far above real charts, far below what would hurt. */
export const CHART_LIMITS: UnpackLimits = { maxFiles: 10_000, maxBytes: 32 * 1024 * 1024, maxRatio: 200 };
/** Below this size no ratio is suspicious: an empty repository compresses very well. */
const RATIO_FROM_BYTES = 16 * 1024 * 1024;

/** False for a name that is not UTF-8: Node reads such bytes as U+FFFD, and that name leads to no file. */
export function isUtf8Name(name: string): boolean {
  return !name.includes('\ufffd');
}

const SLASH = Buffer.from('/');

/** The regular files below `dir`, relative to it; links and devices are never followed or taken along. */
async function filesIn(dir: Buffer, prefix: string, ignore: NonNullable<PackOptions['ignore']>): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true, encoding: 'buffer' })) {
    const below = Buffer.concat([dir, SLASH, entry.name]);
    const path = prefix === '' ? entry.name.toString() : `${prefix}/${entry.name.toString()}`;
    if (ignore(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) found.push(...(await filesIn(below, path, ignore)));
    else if (entry.isFile() && isUtf8(below)) found.push(path);
    else if (entry.isFile()) {
      const message = `the name ${JSON.stringify(path)} is not UTF-8: rename it`;
      throw new TerminalError('ArchiveOperationFailed', message);
    }
  }
  return found;
}

/**
 * Writes the regular files of `dir` as a tar.gz. The same files give the same bytes: sorted, no owner, times at zero.
 * Executable bits are kept. Throws TerminalError `ArchiveOperationFailed` for a name that is not UTF-8.
 */
export async function packDirectory(dir: string, file: string, options: PackOptions = {}): Promise<void> {
  const paths = (await filesIn(Buffer.from(dir), '', options.ignore ?? (() => false))).sort();
  const pack = new Pack({ cwd: dir, gzip: { level: 6 }, portable: true, mtime: new Date(0), noDirRecurse: true });
  // A file called `@x` would be read as an archive to include.
  for (const path of paths) pack.add(path.startsWith('@') ? `./${path}` : path);
  pack.end();
  await pipeline(Readable.from(pack), createWriteStream(file));
}

/** Keeps tar from detecting another compression, which it would unpack without limits. */
export const PLAIN_TAR = { brotli: false, zstd: false } as const;

/** True for what tar would decompress once more. */
export function isCompressed(data: Buffer): boolean {
  return data[0] === 0x1f && data[1] === 0x8b;
}

function nameOf(file: string): string {
  return `archive ${JSON.stringify(basename(file))}`;
}

/** Judges an archive while it is read; the first problem ends the reading. */
class Guard {
  readonly #file: string;
  readonly #limits: UnpackLimits;
  readonly #maxBytes: number;
  #entries = 0;
  #bytes = 0;
  #isBlank = true;
  problem: TerminalError | undefined;

  constructor(file: string, size: number, limits: UnpackLimits) {
    this.#file = file;
    this.#limits = limits;
    this.#maxBytes = Math.min(limits.maxBytes, Math.max(RATIO_FROM_BYTES, size * limits.maxRatio));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True for an archive without entries, which is only an end mark; tar takes it for damaged. */
  get isEmpty(): boolean {
    return this.#isBlank && this.#bytes >= 1024;
  }

  accepts(path: string, entry: ReadEntry): boolean {
    this.#entries += 1;
    if (this.#entries > this.#limits.maxFiles) {
      this.#stop('ArchiveTooLarge', `contains more than ${this.#limits.maxFiles} files`);
    } else if (ESCAPE.test(path)) {
      this.#stop('ArchiveInvalid', `contains the path ${JSON.stringify(path)}, which leads out of it`);
    } else if (!FILE_TYPES.has(entry.type) && entry.type !== 'Directory') {
      const what = OTHER_TYPES.get(entry.type) ?? `an entry of type ${entry.type}`;
      this.#stop('ArchiveInvalid', `contains ${JSON.stringify(path)}, ${what}: only files and folders are allowed`);
    }
    return this.problem === undefined;
  }

  count(chunk: Buffer): void {
    if (this.#bytes === 0 && isCompressed(chunk)) this.#stop('ArchiveInvalid', 'is compressed twice');
    this.#bytes += chunk.length;
    this.#isBlank &&= chunk.every((byte) => byte === 0);
    const allowed = this.#maxBytes + this.#entries * ENTRY_OVERHEAD + 64 * 1024;
    if (this.#bytes > allowed) this.#stop('ArchiveTooLarge', `contains more than ${this.#maxBytes} bytes`);
  }

  #stop(reason: string, problem: string): void {
    this.problem ??= new TerminalError(reason, `${nameOf(this.#file)} ${problem}`);
  }
}

/** Ends at the first problem. An error of the machine stays what it is: tar only knows those of its own realm. */
class StrictUnpack extends Unpack {
  override warn(...args: Parameters<Unpack['warn']>): void {
    const [, problem] = args;
    if (typeof problem === 'string') super.warn(...args);
    else this.emit('error', problem);
  }
}

async function feed(source: AsyncIterable<Buffer>, target: Unpack, guard: Guard): Promise<void> {
  for await (const chunk of source) {
    guard.count(chunk);
    if (guard.problem !== undefined) throw guard.problem;
    if (!target.write(chunk)) await new Promise((resolve) => target.once('drain', resolve));
  }
  target.end();
}

async function extract(file: string, dir: string, guard: Guard): Promise<void> {
  const target = new StrictUnpack({
    ...PLAIN_TAR,
    cwd: dir,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    // Set-user and set-group bits have no meaning in an artifact.
    umask: 0o7022,
    filter: (path, entry) => guard.accepts(path, entry as ReadEntry),
  });
  // Not once: a disk that is full fails for each file, and an error without a listener ends the process.
  const failed = new Promise<never>((_resolve, reject) => target.on('error', reject));
  const closed = new Promise<void>((resolve) => target.once('close', resolve));
  const compressed = createReadStream(file);
  const plain = createGunzip();
  const decompressed = pipeline(compressed, plain);
  decompressed.catch(() => undefined);
  try {
    await Promise.race([feed(plain, target, guard).then(() => closed), failed]);
  } finally {
    plain.destroy();
    compressed.destroy();
  }
}

/** Why an archive could not be unpacked into `dir`: the machine, the lost archive, or what it contains. */
function unpackError(error: unknown, file: string, dir: string): Error {
  const ofTheDisk = diskError(error);
  if (ofTheDisk !== undefined) return ofTheDisk;
  const name = nameOf(file);
  const code = machineProblem(error);
  if (code === 'ENOENT' && (error as NodeJS.ErrnoException).path === file) return new LostArtifactError(name);
  if (code !== undefined) {
    const message = `${name} cannot be unpacked on this machine: ${code}`;
    return new TransientError(message, { reason: 'StorageOperationFailed', cause: error });
  }
  // Without the scratch folder, which has another name each time.
  const why = (error instanceof Error ? error.message : String(error)).replaceAll(`${dir}/`, '');
  return new TerminalError('ArchiveInvalid', `${name} cannot be read: ${why}`, { cause: error });
}

/**
 * Unpacks a tar.gz into `dir`, which is made when it is missing and should be a scratch folder: a refused archive may
 * leave some of its files there. Returns the bytes after decompression. Errors: TerminalError `ArchiveInvalid` (a link,
 * a device, a path that leads out, damaged) | `ArchiveTooLarge`; LostArtifactError when there is no archive;
 * TransientError `StorageOperationFailed` when the disk or the machine fails.
 */
export async function unpack(file: string, dir: string, limits: UnpackLimits = DEFAULT_LIMITS): Promise<number> {
  await onDisk(() => mkdir(dir, { recursive: true }));
  let guard: Guard | undefined;
  try {
    guard = new Guard(file, (await stat(file)).size, limits);
    await extract(file, dir, guard);
  } catch (error: unknown) {
    if (guard?.problem !== undefined) throw guard.problem;
    if (guard?.isEmpty === true) return 0;
    throw unpackError(error, file, dir);
  }
  if (guard.problem !== undefined) throw guard.problem;
  return guard.bytes;
}
