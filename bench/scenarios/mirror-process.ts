import { kubeFromFile } from '#runtime/client/credentials.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { mirrorController } from './mirror.js';
import type { Sample } from '../figures.js';

/** Run with `--expose-gc` as a child that is asked for samples: `mirror-process KUBECONFIG NAMESPACE`. */
async function main([kubeconfig, namespace]: readonly string[]): Promise<void> {
  const stopping = new AbortController();
  const kube = await kubeFromFile({ path: kubeconfig });
  const manager = new Manager({ kube, log: createLogger('error'), namespace });
  manager.setup(mirrorController);
  process.on('message', () => process.send?.(sample()));
  process.once('disconnect', () => stopping.abort());
  await manager.start(stopping.signal);
  await kube.close();
}

function sample(): Sample {
  // Twice: what the first run finalises is free after the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const resources = process.getActiveResourcesInfo();
  return {
    heapBytes: process.memoryUsage().heapUsed,
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    handles: resources.length,
  };
}

await main(process.argv.slice(2));
