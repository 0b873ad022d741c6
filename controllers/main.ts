import type { Logger } from 'pino';
import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '../api/v1alpha1/labels.js';
import { applicationController } from './application/setup.js';
import { serveArtifacts } from './engine/artifact/server.js';
import { createArtifactStore } from './engine/artifact/store.js';
import { createMembers } from './engine/member/members.js';
import { run } from './engine/process/run.js';
import { chooseEngine, observeFluxCrds } from './engine-choice.js';
import { helmReleaseControllers, releaseWatches } from './flux/helmrelease/setup.js';
import { sourceControllers } from './flux/source/setup.js';
import { unsupportedSourceControllers } from './flux/source/unsupported.js';
import { standForElection, type Leadership } from './leadership.js';
import { parseAddress, type Engine, type Options } from './options.js';
import { kubeFromFile } from './runtime/credentials.js';
import { fencedKube } from './runtime/fence.js';
import { serveHealth } from './runtime/health.js';
import type { Kube } from './runtime/kube.js';
import { createLogger } from './runtime/log.js';
import { Manager } from './runtime/manager.js';
import { createMetrics, type Metrics } from './runtime/metrics.js';
import { linkSignals } from './runtime/signals.js';
import { templateControllers } from './template/setup.js';

type Close = () => Promise<void>;

/** Adds the controllers that do what Flux does elsewhere; the result ends what they share. */
async function addEmbeddedEngine(manager: Manager, options: Options, leadership?: Leadership): Promise<Close> {
  const { host, port: wantedPort } = parseAddress(options.storageAddr);
  const server = await serveArtifacts({ root: options.storagePath, host, port: wantedPort });
  const store = createArtifactStore({ root: options.storagePath, baseUrl: `http://${host}:${server.port}` });
  const members = createMembers({
    host: manager.kube,
    allowInsecure: options.insecureKubeconfigTls,
    fence: leadership?.fence,
  });
  const shared = {
    store,
    run,
    helmPath: options.helmPath,
    kustomizePath: options.kustomizePath,
    allowCrossNamespace: !options.noCrossNamespaceRefs,
    dependencyRequeueMs: options.requeueDependencyMs,
    concurrency: options.concurrent,
  };
  const managed = options.watchManaged ? releaseWatches(manager.log) : undefined;
  const elected = leadership?.engineElected;
  manager.setup((context) => sourceControllers(context, { ...shared, gitPath: options.gitPath }), elected);
  manager.setup(unsupportedSourceControllers, elected);
  const { defaultServiceAccount } = options;
  const releases = { ...shared, members, managed, defaultServiceAccount };
  manager.setup((context) => helmReleaseControllers(context, releases), elected);
  return async () => {
    await managed?.close();
    await members.close();
    await server.close();
  };
}

/** How a process is told to end. */
export interface EndSignals {
  /** Nothing new begins; what runs may end. */
  readonly stop: AbortSignal;
  /** What still runs is cancelled. */
  readonly cancel: AbortSignal;
}

interface Running {
  readonly options: Options;
  readonly host: Kube;
  readonly engine: Exclude<Engine, 'auto'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly leadership: Leadership | undefined;
}

async function runManager(running: Running, { stop, cancel }: EndSignals): Promise<void> {
  const { options, host, engine, log, metrics, leadership } = running;
  const { namespace, shutdownTimeoutMs } = options;
  const kube = leadership === undefined ? host : fencedKube(host, leadership.fence);
  const manager = new Manager({ kube, log, metrics, namespace, shutdownTimeoutMs });
  const rules = { allowCrossNamespace: !options.noCrossNamespaceRefs, runsKustomizations: engine === 'external' };
  manager.setup((context) => applicationController(context, rules), leadership?.elected);
  manager.setup((context) => templateControllers(context, rules), leadership?.elected);
  const closeEngine = engine === 'embedded' ? await addEmbeddedEngine(manager, options, leadership) : undefined;
  const health = await serveHealth({
    ...parseAddress(options.healthAddr),
    metrics,
    notReady: () => [...manager.notReady(), ...(leadership?.notReady() ?? [])],
  });
  log.info({ engine, server: kube.server, health: health.address }, 'starting');
  try {
    await manager.start(stop, linkSignals([cancel, leadership?.lost]).signal);
  } finally {
    health.close();
    await closeEngine?.();
  }
}

/**
 * Runs all controllers of this process until it is told to stop and the last pass has ended, or is cancelled. Throws a
 * ControllerError when it cannot start (no cluster, no CRDs, an address that is taken), and when it has lost the
 * leadership.
 */
export async function runController(options: Options, signals: EndSignals): Promise<void> {
  const log = createLogger(options.logLevel);
  const metrics = createMetrics();
  const host = await kubeFromFile({ path: options.kubeconfig, context: options.context, count: metrics.countRequest });
  const crds = await observeFluxCrds(host, ({ metadata }) => metadata.labels?.[PART_OF_LABEL] === PART_OF_FAIRLEAD);
  const engine = chooseEngine(options.engine, crds);
  const leadership = options.leaderElect ? await standForElection({ options, engine, log, metrics }) : undefined;
  try {
    const running = { options, host, engine, log, metrics, leadership };
    await runManager(running, signals);
    leadership?.lost.throwIfAborted();
  } finally {
    await leadership?.stop();
    await host.close();
    log.info('stopped');
  }
}
