import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { startGitServer } from '../../sandbox/git-server.js';
import { isInTransition, stopWorldIn } from '../../sandbox/daemon-world.js';
import { packageCharts, startHelmRepository } from '../../sandbox/helm-repository.js';
import { seedRepository } from '../../sandbox/servers/git-repository.js';
import { PACKAGE_ROOT } from '../../controllers/runtime/package-root.js';
import { runningState, writeState } from '../../sandbox/state.js';
import { ensureTools } from '../../sandbox/tools.js';
import { startWorld, type Cluster, type World } from '../../sandbox/world.js';
import type { Say } from '../progress.js';

/** The clusters of a demo, and the servers that its sources point at. */
export interface DemoWorld {
  readonly dir: string;
  /** Kubeconfig file of the host cluster. */
  readonly hostKubeconfig: string;
  readonly helm: string;
  readonly project: Pick<World, 'gitUrl' | 'helmRepositoryUrl' | 'members'>;
  /** True for clusters of the user: what the demo made there has to be taken away again. */
  readonly isExisting: boolean;
  readonly stop: () => Promise<void>;
}

export interface SandboxOptions {
  readonly dir: string;
  readonly members: number;
  readonly signal: AbortSignal;
}

/** Clusters of our own: a sandbox in `dir` that ends with the demo. */
export async function sandboxWorld({ dir, members, signal }: SandboxOptions, say: Say): Promise<DemoWorld> {
  if ((await runningState(dir)) !== undefined || (await isInTransition(dir))) {
    throw new Error(
      `a sandbox is running in ${dir}: stop it with \`fairlead sandbox down\`, or choose another folder with --dir`,
    );
  }
  // What a crash left behind.
  await stopWorldIn(dir);
  const world = await startWorld({ dir, members, signal, onProgress: say });
  await writeState(world);
  return {
    dir: world.dir,
    hostKubeconfig: world.host.kubeconfig,
    helm: world.tools.helm,
    project: world,
    isExisting: false,
    stop: world.stop,
  };
}

export interface ExistingClusterOptions {
  readonly dir: string;
  readonly kubeconfig: string;
  readonly memberKubeconfigs: readonly string[];
  readonly signal: AbortSignal;
}

function existingMember(kubeconfig: string, index: number): Cluster {
  return { name: `member-${index + 1}`, server: '', kubeconfig: path.resolve(kubeconfig), auditLog: '' };
}

async function claimFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0) throw new Error(`${dir} is not empty: choose another folder with --dir`);
}

/** Clusters of the user; only the servers are ours, on loopback, where the controller of the demo runs too. */
export async function existingWorld(choice: ExistingClusterOptions, say: Say): Promise<DemoWorld> {
  const dir = path.resolve(choice.dir);
  const { helm } = await ensureTools(['helm'], { onProgress: say, signal: choice.signal });
  await claimFolder(dir);
  const [git, root] = [path.join(dir, 'git'), path.join(dir, 'charts')];
  await seedRepository(git, 'apps', path.join(PACKAGE_ROOT, 'sandbox', 'repo'));
  await packageCharts({ helm, charts: path.join(PACKAGE_ROOT, 'sandbox', 'charts'), root, home: dir });
  const [gitServer, charts] = [await startGitServer(git), await startHelmRepository(root)];
  return {
    dir,
    hostKubeconfig: path.resolve(choice.kubeconfig),
    helm,
    project: {
      gitUrl: `${gitServer.origin}/apps.git`,
      helmRepositoryUrl: `${charts.origin}/charts`,
      members: choice.memberKubeconfigs.map(existingMember),
    },
    isExisting: true,
    stop: async () => {
      await Promise.all([gitServer.close(), charts.close()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
