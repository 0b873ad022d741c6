import { run } from '#engine/process/run.js';
import { sourceControllers } from '#controllers/source/setup.js';
import { runControllers } from '../../support/harness.js';
import { kubeFor } from '../../support/world.js';
import { PARALLEL, type Engine } from '../engines.js';
import type { OwnOptions } from '../pair.js';

/** The source controllers of the embedded engine. */
export async function startOwn({ world, cluster, store }: OwnOptions): Promise<Engine> {
  const kube = await kubeFor(cluster);
  const options = {
    ...{ store, run, gitPath: 'git', helmPath: world.tools.helm, proxies: {}, concurrency: PARALLEL },
    ...{ allowCrossNamespace: true, dependencyRequeueMs: 1_000 },
  };
  const controllers = runControllers({ kube }, [(context) => sourceControllers(context, options)]);
  const stop = async (): Promise<void> => {
    await controllers.stop();
    await kube.close();
  };
  return { stop };
}
