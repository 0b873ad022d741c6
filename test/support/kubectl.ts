import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';

/** `kubectl apply -f -` of one object. */
export function applyManifest(world: World, cluster: Cluster, object: object): Promise<string> {
  const args = ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', '-'];
  return runCommand(world.tools.kubectl, args, { input: JSON.stringify(object) });
}
