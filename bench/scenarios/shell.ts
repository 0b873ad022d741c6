import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';

/** The real kubectl against one cluster of the world. */
export function kubectl(world: World, cluster: Cluster, ...args: string[]): Promise<string> {
  return runCommand(world.tools.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args]);
}

/** `kubectl get ... -o json`, parsed. */
export async function kubectlJson<T>(world: World, cluster: Cluster, ...args: string[]): Promise<T> {
  return JSON.parse(await kubectl(world, cluster, 'get', ...args, '-o', 'json')) as T;
}

/** The real helm against one cluster of the world. */
export function helm(world: World, cluster: Cluster, ...args: string[]): Promise<string> {
  return runCommand(world.tools.helm, ['--kubeconfig', cluster.kubeconfig, ...args]);
}

/** The built `fairlead` against one cluster. */
export function fairlead({ kubeconfig }: Cluster, ...args: string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, NO_COLOR: '1' };
  return runCommand(process.execPath, [path.join(PACKAGE_ROOT, 'dist/cli/main.js'), ...args], { env });
}
