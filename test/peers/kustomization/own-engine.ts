import { createMembers } from '#engine/member/members.js';
import { run } from '#engine/process/run.js';
import { kustomizationControllers } from '#controllers/kustomization/setup.js';
import { externalArtifactFetcher } from '#controllers/source/externalartifact/fetch.js';
import { runControllers } from '../../support/harness.js';
import { kubeFor } from '../../support/world.js';
import { PARALLEL, type Engine } from '../engines.js';
import type { OwnOptions } from '../pair.js';

/** The Kustomization controller of the embedded engine. */
export async function startOwn({ world, cluster, store }: OwnOptions): Promise<Engine> {
  const kube = await kubeFor(cluster);
  const members = createMembers({ host: kube });
  const options = {
    ...{ members, store, run, kustomizePath: world.tools.kustomize, concurrency: PARALLEL },
    ...{ allowCrossNamespace: true, dependencyRequeueMs: 1_000 },
    fetchExternal: externalArtifactFetcher({ store, proxies: {} }),
  };
  const controllers = runControllers({ kube }, [(context) => kustomizationControllers(context, options)]);
  const stop = async (): Promise<void> => {
    await controllers.stop();
    await members.close();
    await kube.close();
  };
  return { stop };
}
