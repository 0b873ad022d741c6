import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startGitServer } from '#sandbox/git-server.js';
import { isInTransition, stopWorldIn } from '#sandbox/daemon-world.js';
import { packageCharts, startHelmRepository } from '#sandbox/helm-repository.js';
import { seedRepository } from '#sandbox/servers/git-repository.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { runningState, writeState } from '#sandbox/state.js';
import { ensureTools, type ToolOptions } from '#sandbox/tools.js';
import type { Project } from '#sandbox/project.js';
import { startWorld } from '#sandbox/world.js';
import { claimFolder } from '#sandbox/world/folder.js';
import type { Say } from '../output/progress.js';

/** The clusters of a demo, and the servers that its sources point at. */
export interface DemoWorld {
  readonly dir: string;
  /** Kubeconfig file of the host cluster. */
  readonly hostKubeconfig: string;
  readonly helm: string;
  readonly project: Project;
  readonly stop: () => Promise<void>;
}

export interface SandboxOptions extends ToolOptions {
  readonly dir: string;
  readonly members: number;
  readonly signal: AbortSignal;
}

/** Removes what a crash left in the folder of a demo or sandbox. Throws when one is running there. */
export async function freeFolder(dir: string): Promise<boolean> {
  const choose = 'or choose another folder with --dir';
  if ((await runningState(dir)) !== undefined) {
    throw new Error(
      `a sandbox or demo is running in ${dir}: stop it with \`fairlead sandbox down --dir '${dir}'\`, ${choose}`,
    );
  }
  if (await isInTransition(dir)) {
    throw new Error(`a sandbox or demo is running in ${dir}, or starts or ends: end it with Ctrl-C, ${choose}`);
  }
  return stopWorldIn(dir);
}

/** Clusters of our own: a sandbox in `dir` that ends with the demo. */
export async function sandboxWorld({ dir, members, signal, ...tools }: SandboxOptions, say: Say): Promise<DemoWorld> {
  await freeFolder(dir);
  const world = await startWorld({ ...tools, dir, members, signal, onProgress: say });
  await writeState(world);
  return {
    dir: world.dir,
    hostKubeconfig: world.host.kubeconfig,
    helm: world.tools.helm,
    project: world,
    stop: world.stop,
  };
}

export interface ExistingClusterOptions extends ToolOptions {
  readonly dir: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Content of the kubeconfigs of the members. */
  readonly members: readonly string[];
  readonly signal: AbortSignal;
}

async function writeMember(dir: string, content: string, index: number): Promise<{ kubeconfig: string }> {
  const kubeconfig = path.join(dir, `member-${index + 1}.kubeconfig`);
  await writeFile(kubeconfig, content, { mode: 0o600 });
  return { kubeconfig };
}

/** Clusters of the user; only the servers are ours, on loopback, where the controller of the demo runs too. */
export async function existingWorld(choice: ExistingClusterOptions, say: Say): Promise<DemoWorld> {
  const dir = path.resolve(choice.dir);
  const { download, compile, signal } = choice;
  const { helm } = await ensureTools(['helm'], { onProgress: say, download, compile, signal });
  await freeFolder(dir);
  await claimFolder(dir);
  const servers: { close: () => Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const [git, root] = [path.join(dir, 'git'), path.join(dir, 'charts')];
    await seedRepository(git, 'apps', path.join(PACKAGE_ROOT, 'sandbox', 'repo'));
    await packageCharts({ helm, charts: path.join(PACKAGE_ROOT, 'sandbox', 'charts'), root, home: dir });
    const gitServer = await startGitServer(git);
    servers.push(gitServer);
    const charts = await startHelmRepository(root);
    servers.push(charts);
    const project = {
      namespace: choice.namespace,
      gitUrl: `${gitServer.origin}/apps.git`,
      helmRepositoryUrl: `${charts.origin}/charts`,
      members: await Promise.all(choice.members.map((content, index) => writeMember(dir, content, index))),
    };
    return { dir, hostKubeconfig: path.resolve(choice.kubeconfig), helm, project, stop };
  } catch (error: unknown) {
    await stop();
    throw error;
  }
}
