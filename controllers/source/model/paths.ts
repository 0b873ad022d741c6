/** A path of the spec as parts below a root: `..` stops at the root, as in Flux. */
export function pathWithin(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

/** True for a relative path that stays below its root, and is nothing of git's own on any file system. */
export function isContained(path: string): boolean {
  const parts = path.split('/');
  return (
    !path.includes('\\') && !path.includes('\0') && parts.every((part) => !/^(?:|\.|\.\.|\.git|git~\d+)$/i.test(part))
  );
}

/** The parts of a folder that a user wrote: `./a//b/` is `a`, `b`. Undefined when it leads out of its root. */
export function folderParts(text: string): string[] | undefined {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || isContained(parts.join('/')) ? parts : undefined;
}
