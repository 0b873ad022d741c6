import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createOffload, type Offload } from '#runtime/isolation/offload.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

/** Where the build puts what it makes of a module. */
export function builtForm(url: string): string {
  const file = path.relative(PACKAGE_ROOT, fileURLToPath(url)).replace(/\.ts$/, '.js');
  return pathToFileURL(path.join(PACKAGE_ROOT, 'dist', file)).href;
}

/** Threads know nothing of TypeScript: they run what the build made of the sources. */
export function builtOffload(): Offload {
  return createOffload({ locate: builtForm });
}
