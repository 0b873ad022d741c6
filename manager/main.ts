import type { Logger } from 'pino';
import { madeSourceControllers } from '#controllers/application/made-sources.js';
import { applicationController } from '#controllers/application/setup.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import { Identities } from '#controllers/cluster/identities.js';
import { probeController } from '#controllers/cluster/probe/setup.js';
import { helmReleaseControllers, releaseWatches } from '#controllers/helmrelease/setup.js';
import { kustomizationControllers, kustomizationWatches } from '#controllers/kustomization/setup.js';
import { serveWebhooks } from '#controllers/receiver/server.js';
import { setUpReceivers } from '#controllers/receiver/setup.js';
import type { HandleWebhook } from '#controllers/receiver/webhooks.js';
import { externalArtifactFetcher } from '#controllers/source/externalartifact/fetch.js';
import { retireArtifacts } from '#controllers/source/artifact-cleanup.js';
import { chartFetcher, sourceControllers } from '#controllers/source/setup.js';
import { templateControllers } from '#controllers/template/setup.js';
import { serveArtifacts } from '#engine/artifact/server.js';
import { readKey } from '#engine/artifact/signature.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import { defaultQuotaBytes } from '#engine/artifact/usage.js';
import { createMembers } from '#engine/member/members.js';
import { limitedRun, run, type Run } from '#engine/process/run.js';
import { CancelledError } from '#lib/errors.js';
import { proxySettings } from '#lib/net/proxy.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { fencedKube } from '#runtime/client/fence.js';
import { serveHealth } from '#runtime/process/health.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Listening } from '#runtime/process/listen.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { createMetrics, type Metrics } from '#runtime/process/metrics.js';
import { randomBytes } from 'node:crypto';
import { type EndSignals, linkSignals } from '#runtime/process/signals.js';
import { chooseEngine, isReceiverForeign, observeFluxCrds } from './engine-choice.js';
import { type Leadership, ownNamespace, standForElection } from './leadership.js';
import { type Address, urlOf } from './option-values.js';
import type { Engine, Options } from './options.js';
import { errorText } from './programs.js';
import { engineProblems, listening, refuseSettings } from './settings.js';

const HANDOVER_LIMIT_MS = 10_000;

type Close = () => void | Promise<void>;

/** Where artifacts are served. */
interface Artifacts {
  readonly url: string;
  /** The key of their addresses. */
  readonly key: Buffer;
  readonly quotaBytes: number | undefined;
}

/** Adds the controllers that do what Flux does elsewhere; the result ends what they share. */
function addEmbeddedEngine(
  manager: Manager,
  { url: baseUrl, key, quotaBytes }: Artifacts,
  { options, leadership }: Running,
): Close {
  const proxies = proxySettings(process.env);
  const store = createArtifactStore({ root: options.storagePath, baseUrl, key, quotaBytes });
  const members = createMembers({
    host: manager.kube,
    allowInsecure: options.insecureKubeconfigTls,
    fence: leadership.fence,
  });
  const shared = {
    store,
    helmPath: options.helmPath,
    kustomizePath: options.kustomizePath,
    allowCrossNamespace: !options.noCrossNamespaceRefs,
    dependencyRequeueMs: options.requeueDependencyMs,
    concurrency: options.concurrent,
  };
  const [managed, files] = options.watchManaged ? [releaseWatches(manager.log), kustomizationWatches(manager.log)] : [];
  const elected = leadership.engineElected;
  // As many as run without those that namespaces get in addition: these mostly wait.
  const limited = (): Run => limitedRun(run, options.concurrent);
  const { gitPath, trustedRootFile } = options;
  const sources = { ...shared, run: limited(), gitPath, trustedRootFile, proxies };
  manager.setup((context) => sourceControllers(context, sources), elected);
  const { defaultServiceAccount } = options;
  const fetchExternal = externalArtifactFetcher(sources);
  const kustomizations = { ...shared, fetchExternal, run: limited(), members, managed: files, defaultServiceAccount };
  manager.setup((context) => kustomizationControllers(context, kustomizations), elected);
  const releases = { ...shared, fetchExternal, run: limited(), members, managed, defaultServiceAccount };
  manager.setup((context) => {
    const fetchChart = chartFetcher(context, sources);
    return helmReleaseControllers(context, { ...releases, fetchChart });
  }, elected);
  return async () => {
    await managed?.close();
    await files?.close();
    await members.close();
  };
}

interface Running {
  readonly options: Options;
  readonly controllerNamespace: string;
  readonly host: Kube;
  readonly engine: Exclude<Engine, 'auto'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly leadership: Leadership;
  /** Where artifacts are served; absent where Flux is the engine. */
  readonly artifacts: Artifacts | undefined;
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
  const { options, controllerNamespace, host, log, metrics, leadership, artifacts } = running;
  const { namespace, shutdownTimeoutMs, insecureKubeconfigTls: allowInsecure } = options;
  const kube = fencedKube(host, leadership.fence);
  const manager = new Manager({ kube, log, metrics, namespace, shutdownTimeoutMs });
  const rules = {
    allowCrossNamespace: !options.noCrossNamespaceRefs,
    watchedNamespace: namespace,
    isEngineExternal: running.engine === 'external',
  };
  const identities = new Identities();
  manager.setup(
    (context) =>
      applicationController(context, { ...rules, controllerNamespace, helmPath: options.helmPath, identities }),
    leadership.elected,
  );
  manager.setup((context) => madeSourceControllers(context, rules), leadership.elected);
  manager.setup((context) => templateControllers(context, rules), leadership.elected);
  const credentials = { controllerNamespace, namespace, allowInsecure, fence: leadership.fence };
  manager.setup((context) => credentialControllers(context, credentials), leadership.elected);
  const probes = { registry: metrics.registry, namespace, allowInsecure, identities };
  manager.setup((context) => probeController(context, probes), leadership.elected);
  if (artifacts !== undefined) opened.add(addEmbeddedEngine(manager, artifacts, running));
  return manager;
}

/** Accepts webhooks if there is an address for them; in every replica, whichever of them leads. */
async function openWebhooks(manager: Manager, running: Running, opened: Opened): Promise<void> {
  const { options, host: kube, log, leadership, artifacts } = running;
  const { webhookAddr, noCrossNamespaceRefs, defaultServiceAccount } = options;
  if (webhookAddr === undefined) return;
  if (artifacts === undefined) {
    log.warn('--webhook-addr has no effect: where Flux is the engine, its notification-controller answers webhooks');
    return;
  }
  if (await isReceiverForeign(kube)) {
    log.warn(
      '--webhook-addr has no effect: the CRD of Receivers is of Flux, whose notification-controller serves them',
    );
    return;
  }
  const allowCrossNamespace = !noCrossNamespaceRefs && defaultServiceAccount === undefined;
  let handle: HandleWebhook = () => Promise.reject(new CancelledError());
  manager.setup((context) => {
    const receivers = setUpReceivers(context, { kube, allowCrossNamespace });
    handle = receivers.handle;
    return receivers.controller;
  }, leadership.engineElected);
  const open = (address: Address): Promise<Listening> => serveWebhooks({ ...address, handle, log });
  const server = await listening('webhookAddr', webhookAddr, open);
  opened.add(() => server.close());
  log.info({ webhooks: server.address }, 'accepting webhooks');
}

/** Serves the artifacts, after all that the engine will need was tried; returns where. Names every wrong setting. */
async function openArtifacts(options: Options, log: Logger, opened: Opened): Promise<Artifacts> {
  const root = options.storagePath;
  const problems = await engineProblems({ options, run, log });
  // A folder that cannot be made is one of the problems.
  const key = problems.length > 0 ? randomBytes(32) : await readKey(root);
  const opening = listening('storageAddr', options.storageAddr, (address) => serveArtifacts({ root, key, ...address }));
  const server = await opening.catch((error: unknown) => refuseSettings([...problems, errorText(error)]));
  opened.add(() => server.close());
  if (problems.length > 0) refuseSettings(problems);
  const quotaBytes = options.storageQuotaBytes ?? (await defaultQuotaBytes(root));
  log.info({ path: root, quotaBytes }, 'storing artifacts');
  return { url: urlOf({ host: options.storageAddr.host, port: server.address.port }), key, quotaBytes };
}

/** The engine that comes next must not wait for files at an address that is dead. */
async function handOver(manager: Manager, { artifacts, options, log }: Running): Promise<void> {
  if (artifacts === undefined) return;
  const { namespace } = options;
  try {
    const signal = AbortSignal.timeout(HANDOVER_LIMIT_MS);
    const retired = await retireArtifacts({ kube: manager.kube, baseUrl: artifacts.url, namespace, signal });
    log.info({ retired }, 'artifacts retired');
  } catch (error: unknown) {
    // Of a replica that does not lead; else a delay for Flux, which asks the address for some minutes.
    if (!(error instanceof CancelledError)) log.warn({ err: error }, 'artifacts not retired');
  }
}

/** Opens one thing after the other, the cheap ones that can fail first, and runs until the end. */
async function openAndRun(options: Options, { stop, cancel }: EndSignals, opened: Opened): Promise<void> {
  const log = createLogger(options.logLevel);
  const metrics = createMetrics();
  let notReady = (): string[] => ['starting'];
  const health = await listening('healthAddr', options.healthAddr, (address) =>
    serveHealth({ ...address, metrics, notReady: () => notReady() }),
  );
  opened.add(() => log.info('stopped'));
  opened.add(health.close);
  const host = await kubeFromFile({ path: options.kubeconfig, context: options.context, count: metrics.countRequest });
  opened.add(() => host.close());
  const engine = chooseEngine(options.engine, await observeFluxCrds(host, { signal: stop }));
  const artifacts = engine === 'embedded' ? await openArtifacts(options, log, opened) : undefined;
  const leadership = await standForElection({ options, engine, log, metrics });
  opened.add(leadership.stop);
  const { lost, engineChanged } = leadership;
  const controllerNamespace = await ownNamespace(options);
  const running = { options, controllerNamespace, host, engine, log, metrics, leadership, artifacts };
  const manager = createManager(running, opened);
  await openWebhooks(manager, running, opened);
  notReady = () => [...manager.notReady(), ...leadership.notReady()];
  log.info({ engine, server: host.server, health: health.address }, 'starting');
  await manager.start(linkSignals([stop, engineChanged]).signal, linkSignals([cancel, lost]).signal);
  lost.throwIfAborted();
  if (engineChanged.aborted) await handOver(manager, running);
  engineChanged.throwIfAborted();
}

/**
 * Runs all controllers of this process until it is asked to stop and the last reconciliation ended or was cancelled.
 * Throws a ControllerError when it cannot start (no cluster, no CRDs, an address that is taken), and when it has lost
 * the leadership, or its engine is no longer the right one; all that was opened is closed then, too.
 */
export async function runController(options: Options, signals: EndSignals): Promise<void> {
  const opened = new Opened();
  try {
    await openAndRun(options, signals, opened);
  } catch (error: unknown) {
    // Stopped before it had started: not a failure.
    if (!(error instanceof CancelledError && signals.stop.aborted)) throw error;
  } finally {
    await opened.close();
  }
}
