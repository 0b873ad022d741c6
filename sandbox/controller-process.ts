import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { startServer, type ServerProcess } from './server-process.js';

/** Whoever ends a sandbox does not wait for its roll-outs. */
const SHUTDOWN_TIMEOUT = '3s';

export interface ControllerStart {
  /** Kubeconfig file of the host cluster. */
  readonly kubeconfig: string;
  readonly helm: string;
  /** Default: the one on PATH. */
  readonly kustomize?: string | undefined;
  /** Artifacts and log are written below it; one controller at a time. */
  readonly dir: string;
  /** More flags of `fairlead controller`; they win over those above. */
  readonly flags?: readonly string[];
}

/** The built controller in a process of its own, as it would run in a cluster. */
export type ControllerProcess = ServerProcess;

function flagsOf(
  { kubeconfig, helm, kustomize = 'kustomize', flags = [] }: ControllerStart,
  storage: string,
): string[] {
  const own = {
    '--kubeconfig': kubeconfig,
    '--helm-path': helm,
    '--kustomize-path': kustomize,
    '--storage-path': storage,
    '--storage-addr': '127.0.0.1:0',
    '--health-addr': '127.0.0.1:0',
    '--graceful-shutdown-timeout': SHUTDOWN_TIMEOUT,
  };
  return ['--watch-managed', ...Object.entries(own).flat(), ...flags];
}

/**
 * Starts `fairlead controller` with an empty storage of its own. It ends with this process, however that ends. Resolves
 * at once: readiness shows in the objects.
 */
export async function startController(start: ControllerStart): Promise<ControllerProcess> {
  await mkdir(start.dir, { recursive: true });
  const storage = await mkdtemp(path.join(start.dir, 'controller-'));
  const { server } = await startServer({ verb: 'controller', flags: flagsOf(start, storage), dir: start.dir });
  const thenRemoved = (end: () => Promise<void>) => async (): Promise<void> => {
    await end();
    await rm(storage, { recursive: true, force: true });
  };
  return { ...server, kill: thenRemoved(server.kill), stop: thenRemoved(server.stop) };
}
