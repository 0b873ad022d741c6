/** Paths of files and folders in a source: relative to its root, with `/`, without `.` and `..`; the root is empty. */

/** The path that `ref` means in `folder`; undefined when it leads out of the root, or is absolute. */
export function resolvePath(folder: string, ref: string): string | undefined {
  if (ref.startsWith('/')) return undefined;
  const steps = folder === '' ? [] : folder.split('/');
  for (const step of ref.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join('/');
}

/** How a file in `folder` refers to `path`: begins with `./` or `../`, which is never taken for a URL. */
export function referenceTo(folder: string, path: string): string {
  const [from, to] = [folder, path].map((each) => (each === '' ? [] : each.split('/'))) as [string[], string[]];
  let common = 0;
  while (common < from.length && common < to.length && from[common] === to[common]) common += 1;
  const up = from.slice(common).map(() => '..');
  const steps = [...up, ...to.slice(common)];
  return up.length === 0 ? `./${steps.join('/')}` : steps.join('/');
}

export function childPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The files of a source, by path. Links do not occur: an artifact cannot contain them. */
export interface Tree {
  isFile(path: string): boolean;
  isFolder(path: string): boolean;
  /** Names in a folder, sorted. */
  names(folder: string): readonly string[];
  /** Undefined for a file of more than `maxBytes`. */
  text(path: string, maxBytes: number): string | undefined;
}

/** A file that a kustomization file refers to. */
export interface Input {
  readonly path: string;
  /** Where it does. */
  readonly field: string;
  /** The key that the content gets, or the path: says what format it has. */
  readonly name: string;
}

/** What a build is refused for: the message names the file, the field and the way out. */
export class BuildViolation extends Error {
  readonly reason: 'ArtifactFailed' | 'BuildFailed';

  constructor(message: string, reason: BuildViolation['reason'] = 'BuildFailed') {
    super(message);
    this.reason = reason;
  }
}

const FILE_NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The kustomization files of a folder: one, unless something is wrong. */
export function kustomizationFilesIn(tree: Tree, folder: string): string[] {
  return tree.names(folder).filter((name) => FILE_NAMES.includes(name) && tree.isFile(childPath(folder, name)));
}
