import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '../api/v1alpha1/labels.js';
import { applicationController } from './application/setup.js';
import { serveArtifacts } from './engine/artifact/server.js';
import { createArtifactStore } from './engine/artifact/store.js';
import { createMembers } from './engine/member/members.js';
import { run } from './engine/process/run.js';
import { chooseEngine, observeFluxCrds } from './engine-choice.js';
import { helmReleaseControllers } from './flux/helmrelease/setup.js';
import { sourceControllers } from './flux/source/setup.js';
import { parseAddress, type Options } from './options.js';
import { kubeFromFile } from './runtime/credentials.js';
import { serveHealth } from './runtime/health.js';
import { createLogger } from './runtime/log.js';
import { Manager } from './runtime/manager.js';
import { createMetrics } from './runtime/metrics.js';
import { templateControllers } from './template/setup.js';

type Close = () => Promise<void>;

/** Adds the controllers that do what Flux does elsewhere; the result ends what they share. */
async function addEmbeddedEngine(manager: Manager, options: Options): Promise<Close> {
  const { host, port: wantedPort } = parseAddress(options.storageAddr);
  const server = await serveArtifacts({ root: options.storagePath, host, port: wantedPort });
  const store = createArtifactStore({ root: options.storagePath, baseUrl: `http://${host}:${server.port}` });
  const members = createMembers({ host: manager.kube, allowInsecure: options.insecureKubeconfigTls });
  const shared = {
    store,
    run,
    helmPath: options.helmPath,
    allowCrossNamespace: !options.noCrossNamespaceRefs,
    dependencyRequeueMs: options.requeueDependencyMs,
    concurrency: options.concurrent,
  };
  manager.setup((context) => sourceControllers(context, { ...shared, gitPath: options.gitPath }));
  manager.setup((context) => helmReleaseControllers(context, { ...shared, members }));
  return async () => {
    await members.close();
    await server.close();
  };
}

/**
 * Runs all controllers of this process until `signal` is aborted and the last pass has ended.
 * Throws a ControllerError when it cannot start: no cluster, no CRDs, an address that is taken.
 */
export async function runController(options: Options, signal: AbortSignal): Promise<void> {
  const log = createLogger(options.logLevel);
  const metrics = createMetrics();
  const kube = await kubeFromFile({ path: options.kubeconfig, context: options.context, count: metrics.countRequest });
  const crds = await observeFluxCrds(kube, ({ metadata }) => metadata.labels?.[PART_OF_LABEL] === PART_OF_FAIRLEAD);
  const engine = chooseEngine(options.engine, crds);
  const { namespace, shutdownTimeoutMs } = options;
  const manager = new Manager({ kube, log, metrics, namespace, shutdownTimeoutMs });
  const rules = { allowCrossNamespace: !options.noCrossNamespaceRefs, runsKustomizations: engine === 'external' };
  manager.setup((context) => applicationController(context, rules));
  manager.setup((context) => templateControllers(context, rules));
  const closeEngine = engine === 'embedded' ? await addEmbeddedEngine(manager, options) : undefined;
  const health = await serveHealth({
    ...parseAddress(options.healthAddr),
    metrics,
    notReady: () => manager.notReady(),
  });
  log.info({ engine, server: kube.server, health: health.address }, 'starting');
  try {
    await manager.start(signal);
  } finally {
    health.close();
    await closeEngine?.();
    await kube.close();
    log.info('stopped');
  }
}
