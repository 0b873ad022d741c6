import type { Logger } from 'pino';
import type { KubeObject } from '../api/meta.js';
import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '../api/v1alpha1/labels.js';
import { applicationController } from './application/setup.js';
import { serveArtifacts, type ArtifactServer } from './engine/artifact/server.js';
import { createArtifactStore } from './engine/artifact/store.js';
import { createMembers } from './engine/member/members.js';
import { run } from './engine/process/run.js';
import { chooseEngine, observeFluxCrds } from './engine-choice.js';
import { helmReleaseControllers, releaseWatches } from './flux/helmrelease/setup.js';
import { sourceControllers } from './flux/source/setup.js';
import { unsupportedSourceControllers } from './flux/source/unsupported.js';
import { standForElection, type Leadership } from './leadership.js';
import type { Engine, Options } from './options.js';
import { kubeFromFile } from './runtime/credentials.js';
import { fencedKube } from './runtime/fence.js';
import { serveHealth } from './runtime/health.js';
import type { Kube } from './runtime/kube.js';
import { createLogger } from './runtime/log.js';
import { Manager } from './runtime/manager.js';
import { createMetrics, type Metrics } from './runtime/metrics.js';
import { CancelledError } from './runtime/pure/errors.js';
import { proxySettings } from './runtime/pure/proxy.js';
import { linkSignals } from './runtime/signals.js';
import { checkEngineSettings, listening } from './settings.js';
import { templateControllers } from './template/setup.js';

type Close = () => void | Promise<void>;

/** Adds the controllers that do what Flux does elsewhere; the result ends what they share. */
function addEmbeddedEngine(manager: Manager, artifacts: ArtifactServer, { options, leadership }: Running): Close {
  const proxies = proxySettings(process.env);
  const { host } = options.storageAddr;
  const store = createArtifactStore({ root: options.storagePath, baseUrl: `http://${host}:${artifacts.port}` });
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
  const sources = { ...shared, gitPath: options.gitPath, proxies };
  manager.setup((context) => sourceControllers(context, sources), elected);
  manager.setup(unsupportedSourceControllers, elected);
  const { defaultServiceAccount } = options;
  const releases = { ...shared, members, managed, defaultServiceAccount };
  manager.setup((context) => helmReleaseControllers(context, releases), elected);
  return async () => {
    await managed?.close();
    await members.close();
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
  /** Absent where Flux is the engine. */
  readonly artifacts: ArtifactServer | undefined;
}

/** What was opened, to be closed in the opposite order. */
class Opened {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.unshift(close);
  }

  /** Closes all, whatever one of them throws; throws the first of these errors at the end. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closes) {
      try {
        await close();
      } catch (error: unknown) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** All controllers of the process, ready to start. */
function createManager(running: Running, opened: Opened): Manager {
  const { options, host, engine, log, metrics, leadership, artifacts } = running;
  const { namespace, shutdownTimeoutMs } = options;
  const kube = leadership === undefined ? host : fencedKube(host, leadership.fence);
  const manager = new Manager({ kube, log, metrics, namespace, shutdownTimeoutMs });
  const rules = { allowCrossNamespace: !options.noCrossNamespaceRefs, runsKustomizations: engine === 'external' };
  manager.setup((context) => applicationController(context, rules), leadership?.elected);
  manager.setup((context) => templateControllers(context, rules), leadership?.elected);
  if (artifacts !== undefined) opened.add(addEmbeddedEngine(manager, artifacts, running));
  return manager;
}

/** The server of the artifacts, after all that the engine will need was tried. */
async function openArtifacts(options: Options, log: Logger, opened: Opened): Promise<ArtifactServer> {
  await checkEngineSettings({ options, run, log });
  const root = options.storagePath;
  const server = await listening('storageAddr', options, (address) => serveArtifacts({ root, ...address }));
  opened.add(() => server.close());
  return server;
}

/** Opens one thing after the other, the cheap ones that can fail first, and runs until the end. */
async function openAndRun(options: Options, { stop, cancel }: EndSignals, opened: Opened): Promise<void> {
  const log = createLogger(options.logLevel);
  const metrics = createMetrics();
  let notReady = (): string[] => ['starting'];
  const health = await listening('healthAddr', options, (address) =>
    serveHealth({ ...address, metrics, notReady: () => notReady() }),
  );
  opened.add(() => log.info('stopped'));
  opened.add(health.close);
  const host = await kubeFromFile({ path: options.kubeconfig, context: options.context, count: metrics.countRequest });
  opened.add(() => host.close());
  const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[PART_OF_LABEL] === PART_OF_FAIRLEAD;
  const engine = chooseEngine(options.engine, await observeFluxCrds(host, isOurs, { signal: stop }));
  const artifacts = engine === 'embedded' ? await openArtifacts(options, log, opened) : undefined;
  const leadership = options.leaderElect ? await standForElection({ options, engine, log, metrics }) : undefined;
  if (leadership !== undefined) opened.add(leadership.stop);
  const manager = createManager({ options, host, engine, log, metrics, leadership, artifacts }, opened);
  notReady = () => [...manager.notReady(), ...(leadership?.notReady() ?? [])];
  log.info({ engine, server: host.server, health: health.address }, 'starting');
  await manager.start(stop, linkSignals([cancel, leadership?.lost]).signal);
  leadership?.lost.throwIfAborted();
}

/**
 * Runs all controllers of this process until it is told to stop and the last pass has ended, or is cancelled. Throws a
 * ControllerError when it cannot start (no cluster, no CRDs, an address that is taken), and when it has lost the
 * leadership; all that was opened is closed then, too.
 */
export async function runController(options: Options, signals: EndSignals): Promise<void> {
  const opened = new Opened();
  try {
    await openAndRun(options, signals, opened);
  } catch (error: unknown) {
    // Told to stop before it had started: that is no failure.
    if (!(error instanceof CancelledError && signals.stop.aborted)) throw error;
  } finally {
    await opened.close();
  }
}
