import { eventually } from '#bench/scenarios/eventually.js';
import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';

/** `kubectl apply -f -` of one object. */
export function applyManifest(world: World, cluster: Cluster, object: object): Promise<string> {
  const args = ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', '-'];
  return runCommand(world.tools.kubectl, args, { input: JSON.stringify(object) });
}

/** Waits until what an earlier `fairlead uninstall` removed is gone: the API server ends that by itself. */
export async function untilRemoved({ tools }: World, { kubeconfig }: Cluster): Promise<void> {
  const going = '{.items[?(@.metadata.deletionTimestamp)].metadata.name}';
  const ours = ['crd,namespaces', '-l', 'app.kubernetes.io/part-of=fairlead'];
  await eventually(async () => {
    const names = await runCommand(tools.kubectl, [
      '--kubeconfig',
      kubeconfig,
      'get',
      ...ours,
      '-o',
      `jsonpath=${going}`,
    ]);
    if (names !== '') throw new Error(`not gone yet: ${names}`);
  });
}
