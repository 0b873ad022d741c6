import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../package-root.js';
import type { Cluster, World } from '../world.js';

const execute = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a program to its end and returns its stdout; rejects with its stderr when it exits with another code than 0. */
export async function output(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await execute(program, [...args], { env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT });
  return stdout;
}

/** The real kubectl against one cluster of the world. */
export function kubectl(world: World, cluster: Cluster, ...args: string[]): Promise<string> {
  return output(world.tools.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args]);
}

/** `kubectl get ... -o json`, parsed. */
export async function kubectlJson<T>(world: World, cluster: Cluster, ...args: string[]): Promise<T> {
  return JSON.parse(await kubectl(world, cluster, 'get', ...args, '-o', 'json')) as T;
}

/** The real helm against one cluster of the world. */
export function helm(world: World, cluster: Cluster, ...args: string[]): Promise<string> {
  return output(world.tools.helm, ['--kubeconfig', cluster.kubeconfig, ...args]);
}

/** The built `fairlead` against the host. */
export function fairlead(world: World, ...args: string[]): Promise<string> {
  return output(process.execPath, [path.join(PACKAGE_ROOT, 'dist/cli/main.js'), ...args], {
    KUBECONFIG: world.host.kubeconfig,
    NO_COLOR: '1',
  });
}

/** `kubectl apply -f -` of one object. */
export async function applyManifest(world: World, cluster: Cluster, object: object): Promise<string> {
  const child = execute(world.tools.kubectl, ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', '-']);
  child.child.stdin?.end(JSON.stringify(object));
  return (await child).stdout;
}
