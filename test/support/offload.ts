import { createOffload, type Offload } from '#controllers/runtime/offload.js';

/** Threads know nothing of TypeScript: they run what the build made of the sources. */
export function builtOffload(): Offload {
  return createOffload({
    locate: (url) => url.replace('/controllers/', '/dist/controllers/').replace(/\.ts$/, '.js'),
  });
}
