import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { create } from 'tar';
import { dockerApi, LABELS } from './engine.js';

const execute = promisify(execFile);

/** A file or folder of this machine, or a small program of ours. */
export type Content = { readonly from: string } | { readonly script: string };

/** What a root filesystem consists of, by the path in it. */
export type Files = ReadonlyMap<string, Content>;

/** The shared libraries of a program and its loader, by absolute path; none when it is static. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await execute('ldd', [program]).catch(() => ({ stdout: '' }));
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, file = '']) => file);
}

/** Programs of this machine by their path in the image, and the libraries that they need. */
export async function programs(paths: Readonly<Record<string, string>>): Promise<Map<string, Content>> {
  const files = new Map<string, Content>();
  for (const [target, source] of Object.entries(paths)) {
    files.set(target, { from: source });
    for (const library of await librariesOf(source)) files.set(library, { from: library });
  }
  return files;
}

/** Absolute path of a program on PATH. */
export async function which(name: string): Promise<string> {
  const { stdout } = await execute('sh', ['-c', `command -v ${name}`]);
  return realpath(stdout.trim());
}

async function place(root: string, target: string, content: Content): Promise<void> {
  const file = path.join(root, target);
  await mkdir(path.dirname(file), { recursive: true });
  if ('from' in content) return symlink(content.from, file);
  await writeFile(file, content.script);
  await chmod(file, 0o755);
}

/** A tar stream of everything below `cwd` that is named. */
export function packed(cwd: string, names: readonly string[]): Readable {
  // The staged links are what they point to.
  return Readable.from(create({ cwd, follow: true, portable: true }, [...names]));
}

/** Makes an image FROM scratch out of `files`; `changes` are lines of a Dockerfile. */
export async function importImage(name: string, files: Files, changes: readonly string[] = []): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), 'fairlead-image-'));
  try {
    for (const folder of ['tmp', 'root', 'etc']) await mkdir(path.join(root, folder));
    await chmod(path.join(root, 'tmp'), 0o1777);
    for (const [target, content] of files) await place(root, target, content);
    const docker = await dockerApi();
    const labels = Object.entries(LABELS).map(([key, value]) => `LABEL ${key}=${value}`);
    const [repo, tag] = name.split(':');
    const options = { repo, tag, changes: [...labels, ...changes] };
    await finished(await docker.importImage(packed(root, ['.']), options));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** An event of the engine, as dockerode tells it: BuildKit's are decoded. */
interface Progress {
  readonly stream?: string;
  readonly error?: string;
}

/** Of dockerode, which its types leave out. */
interface Follows {
  followProgress: (
    answer: NodeJS.ReadableStream,
    onEnd: (error: Error | null) => void,
    onEvent: (event: Progress) => void,
  ) => void;
}

/** Reads what the engine says to the end; rejects when it tells an error, with the words before it. */
export async function finished(answer: NodeJS.ReadableStream): Promise<void> {
  const docker = (await dockerApi()) as unknown as Follows;
  const said: string[] = [];
  let failed = false;
  await new Promise<void>((resolve, reject) => {
    const end = (error: Error | null): void => {
      if (error === null && !failed) resolve();
      else reject(new Error(`${error?.message ?? 'failed'}; the engine said:\n${said.slice(-40).join('\n')}`));
    };
    docker.followProgress(answer, end, ({ stream, error }) => {
      failed ||= error !== undefined;
      said.push((stream ?? error ?? '').trimEnd());
    });
  });
}
