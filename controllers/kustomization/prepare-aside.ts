import { readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { countObjects, MAX_OBJECTS } from './model/objects.js';
import { prepare, type BuildSpec } from './model/kustomization-file.js';
import type { DecryptedInputs } from './decrypt-inputs.js';
import type { SopsKeys } from './model/sops/data-key.js';
import { BuildViolation, type Input, type Tree } from './model/tree.js';

/** Why nothing is built. */
export interface BuildProblem {
  readonly problem: string;
  readonly reason: BuildViolation['reason'];
  /** The same source may be built later: what refused it may have been a machine with too much to do. */
  readonly isMomentary?: true;
  /** Two objects got the same name because both got the new namespace. */
  readonly namesMeet?: true;
  /** See `BuiltManifests`. */
  readonly namespaces?: string;
}

/** A folder that is ready for kustomize, or why it is refused. */
export type PreparedFolder =
  (DecryptedInputs & { readonly folder: string; readonly saysEmpty: boolean }) | BuildProblem;

interface Question {
  /** Absolute path of the unpacked source. */
  readonly root: string;
  /** Absolute path of an empty folder, for what kustomize reads. */
  readonly target: string;
  readonly spec: BuildSpec;
  /** Absent: nothing is decrypted. */
  readonly keys?: SopsKeys | undefined;
}

/** The source as it was unpacked: regular files and folders only. */
function treeAt(root: string): Tree {
  const stats = (path: string): ReturnType<typeof statSync> => {
    try {
      return statSync(join(root, path), { throwIfNoEntry: false });
    } catch {
      // An inline text is asked for as a path first: it may be too long for one, or have what none has.
      return undefined;
    }
  };
  return {
    isFile: (path) => stats(path)?.isFile() === true,
    isFolder: (path) => stats(path)?.isDirectory() === true,
    names: (folder) => readdirSync(join(root, folder)).sort(),
    text(path, maxBytes) {
      return Number(stats(path)?.size ?? 0) > maxBytes ? undefined : readFileSync(join(root, path), 'utf8');
    },
  };
}

async function place(target: string, path: string, put: (file: string) => Promise<void>): Promise<void> {
  const file = join(target, path);
  await mkdir(dirname(file), { recursive: true });
  await put(file);
}

/** The libraries that decrypt take longer to load than most folders to prepare, and few builds need them. */
async function decryptedAt({ target, keys }: Question, inputs: readonly Input[]): Promise<DecryptedInputs> {
  if (keys === undefined) return { isDecrypted: false, secrets: [] };
  const { decryptInputs } = await import('./decrypt-inputs.js');
  return decryptInputs(target, inputs, keys);
}

/** kustomize compares each object with each other one: what is not going to be applied would take it minutes. */
async function refuseMany(target: string, inputs: readonly Input[]): Promise<void> {
  const paths = new Set(inputs.filter(({ field }) => field.startsWith('resources[')).map(({ path }) => path));
  let count = 0;
  for (const path of paths) count += countObjects(await readFile(join(target, path), 'utf8'));
  if (count <= MAX_OBJECTS) return;
  throw new BuildViolation(
    `the files have ${count} objects, and at most ${MAX_OBJECTS} are supported: split the build`,
  );
}

/** The source is shared by builds: what one of them changes or decrypts is a copy of its own. */
async function prepareAt(question: Question): Promise<PreparedFolder> {
  const { root, target, spec } = question;
  try {
    const { folder, files, inputs, saysEmpty } = prepare(treeAt(root), spec);
    for (const path of new Set(inputs.map((input) => input.path))) {
      await place(target, path, (file) => copyFile(join(root, path), file));
    }
    await refuseMany(target, inputs);
    const decrypted = await decryptedAt(question, inputs);
    for (const [path, text] of files) await place(target, path, (file) => writeFile(file, text));
    return { folder, saysEmpty, ...decrypted };
  } catch (error: unknown) {
    if (error instanceof BuildViolation) return { problem: error.message, reason: error.reason };
    // The YAML library runs out of stack on what is nested too deep, or has lines of megabytes.
    if (!(error instanceof RangeError)) throw error;
    return {
      problem: 'a file is nested too deep, or has a line that is too long',
      reason: 'BuildFailed',
    };
  }
}

/** @public Called by its name. */
export const prepareTask: Task = {
  module: import.meta.url,
  name: 'prepareTask',
  deadlineMs: 20_000,
  run: async (input) => JSON.stringify(await prepareAt(JSON.parse(input) as Question)), // as prepareAside prints it
};

/** Copies what kustomize reads of an unpacked source, made ready for it, in another thread. `key` says which build it is, `lane` whose. */
export async function prepareAside(
  offload: Pick<Offload, 'run'>,
  question: Question,
  { key, lane }: { readonly key: string; readonly lane: string },
): Promise<PreparedFolder> {
  const output = offload.run({ ...prepareTask, key }, JSON.stringify(question), lane);
  return answerOf<PreparedFolder>(output, ({ message }) => ({
    problem: `reading the kustomization files ${message}`,
    reason: 'BuildFailed',
    isMomentary: true,
  }));
}
