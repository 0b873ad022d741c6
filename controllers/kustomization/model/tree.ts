import { childPath } from './paths.js';

/** The files of a source, by path (paths.ts). Links do not occur: an artifact cannot contain them. */
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
