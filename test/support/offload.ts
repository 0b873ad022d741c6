import { createOffload, type Offload } from '#controllers/runtime/offload.js';

/** Where the build puts what it makes of a module. */
export function builtForm(url: string): string {
  return url.replace('/controllers/', '/dist/controllers/').replace(/\.ts$/, '.js');
}

/** Threads know nothing of TypeScript: they run what the build made of the sources. */
export function builtOffload(): Offload {
  return createOffload({ locate: builtForm });
}
