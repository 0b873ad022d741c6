/** A file, link or submodule of a commit. */
export interface TreeEntry {
  /** Octal, as git prints it. */
  readonly mode: string;
  readonly id: string;
  /** Bytes; 0 for a submodule. */
  readonly size: number;
  readonly path: string;
}

const ENTRY = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s;
/** Ten times what an artifact is unpacked with: most of a large repository may be ignored. */
const MAX_FILES = 100_000;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;

/** Output of `git ls-tree -r -z --long`. */
export function parseTree(output: string): TreeEntry[] {
  return output.split('\0').flatMap((line) => {
    const [, mode, id, size, path] = ENTRY.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) return [];
    return [{ mode, id, path, size: size === '-' ? 0 : Number(size) }];
  });
}

/** Why a tree is not checked out: a few objects that name each other can be any number of files. */
export function treeProblem(entries: readonly TreeEntry[]): string | undefined {
  if (entries.length > MAX_FILES) return `has more than ${MAX_FILES} files`;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return bytes > MAX_BYTES ? `has files of more than ${MAX_BYTES / 1024 / 1024 / 1024} GiB` : undefined;
}
