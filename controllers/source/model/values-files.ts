/** A path of the spec as parts below a root: `..` stops at the root, as in Flux. */
export function pathWithin(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}
