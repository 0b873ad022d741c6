import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { seedRepository, startGitServer } from '../../sandbox/git-server.js';
import { isInTransition, stopWorldIn } from '../../sandbox/held-world.js';
import { packageCharts, startHelmRepository } from '../../sandbox/helm-repository.js';
import { PACKAGE_ROOT } from '../../sandbox/package-root.js';
import { runningState, writeState } from '../../sandbox/state.js';
import { ensureTools } from '../../sandbox/tools.js';
import { startWorld, type Cluster, type World } from '../../sandbox/world.js';
import type { Say } from '../progress.js';

/** Where a demo happens: clusters and the servers that its sources point at. */
export interface Ground {
  readonly dir: string;
  /** Kubeconfig file of the host cluster. */
  readonly hostKubeconfig: string;
  readonly helm: string;
  readonly project: Pick<World, 'gitUrl' | 'helmRepositoryUrl' | 'members'>;
  /** True for clusters of the user: what the demo made there has to be taken away again. */
  readonly isBorrowed: boolean;
  readonly stop: () => Promise<void>;
}

export interface SandboxGround {
  readonly dir: string;
  readonly members: number;
  readonly signal: AbortSignal;
}

/** Clusters of our own: a sandbox in `dir` that ends with the demo. */
export async function sandboxGround({ dir, members, signal }: SandboxGround, say: Say): Promise<Ground> {
  if ((await runningState(dir)) !== undefined || (await isInTransition(dir))) {
    throw new Error(
      `a sandbox runs in ${dir}: end it with \`fairlead sandbox down\`, or choose another folder with --dir`,
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
    isBorrowed: false,
    stop: world.stop,
  };
}

export interface BorrowedGround {
  readonly dir: string;
  readonly kubeconfig: string;
  readonly memberKubeconfigs: readonly string[];
  readonly signal: AbortSignal;
}

function borrowedMember(kubeconfig: string, index: number): Cluster {
  return { name: `member-${index + 1}`, server: '', kubeconfig: path.resolve(kubeconfig), auditLog: '' };
}

async function claimFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0) throw new Error(`${dir} is not empty: choose another folder with --dir`);
}

/** Clusters of the user; only the servers are ours, on loopback, where the controller of the demo runs too. */
export async function borrowedGround(choice: BorrowedGround, say: Say): Promise<Ground> {
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
      members: choice.memberKubeconfigs.map(borrowedMember),
    },
    isBorrowed: true,
    stop: async () => {
      await Promise.all([gitServer.close(), charts.close()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
