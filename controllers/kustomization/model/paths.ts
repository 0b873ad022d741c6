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
