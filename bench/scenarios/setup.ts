import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { prepareProject, PROJECT_NAMESPACE } from '#sandbox/project.js';
import { freePort, LOOPBACK } from '#sandbox/world/ports.js';
import type { World } from '#sandbox/world.js';
import { startController, type ControllerProcess } from '#sandbox/controller-process.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { fairlead, kubectl, kubectlJson } from './shell.js';
import { eventually } from './eventually.js';
import { supervise, type Supervised } from './supervised.js';

/** Longest time from apply to Ready that a scenario waits for, on a busy machine. */
export const READY_MS = 300_000;

/** The rows of `status.destinations` and what a scenario asks of an Application. */
export interface ApplicationView {
  metadata: { name: string; uid: string; generation: number };
  status?: {
    observedGeneration?: number;
    conditions?: { type: string; status: string; reason: string; message: string }[];
    summary?: { desired: number; ready: string };
    destinations?: {
      name?: string;
      cluster: string;
      namespace: string;
      release: string;
      state: string;
      message: string;
    }[];
  };
}

export interface HelmReleaseView {
  metadata: { name: string; uid: string; generation: number; resourceVersion: string };
  spec: { releaseName: string; kubeConfig?: { secretRef: { name: string } } };
}

/** A running controller that a scenario watches from outside, wherever it runs. */
export interface Observed {
  readonly world: World;
  readonly controller: Pick<ControllerProcess, 'log'>;
}

/** A prepared host with the built controller running on it, started anew when it exits. */
export interface Setup extends Observed {
  readonly controller: ControllerProcess;
  /** Ends the controller, does something while none runs, and starts another one. */
  readonly restart: Supervised['restart'];
  /** Ends the controller, and leaves everything as it is. */
  readonly stop: () => Promise<void>;
  /** Deletes every Application of the project, waits until nothing of them runs, ends the controller. */
  readonly tearDown: () => Promise<void>;
}

/**
 * Installs the CRDs, gives the project what it needs and starts the built controller (`npm run build` comes first),
 * with `more` flags of its own.
 */
export async function setUp(world: World, more: readonly string[] = []): Promise<Setup> {
  await fairlead(world.host, 'install', '--crds-only');
  const kube = await kubeFromFile({ path: world.host.kubeconfig });
  await prepareProject(world, kube);
  await kube.close();
  // One address for every controller of the scenario: a status names it.
  const flags = ['--storage-addr', `${LOOPBACK}:${await freePort()}`, ...more];
  const start = {
    kubeconfig: world.host.kubeconfig,
    helm: world.tools.helm,
    kustomize: world.tools.kustomize,
    dir: world.dir,
    flags,
  };
  const supervised = await supervise(() => startController(start));
  return {
    world,
    get controller() {
      return supervised.current;
    },
    restart: (how, meanwhile) => supervised.restart(how, meanwhile),
    stop: () => supervised.stop(),
    tearDown: async () => {
      try {
        await kubectl(world, world.host, '-n', PROJECT_NAMESPACE, 'delete', 'gapp', '--all', '--timeout=300s');
      } finally {
        await supervised.stop();
      }
    },
  };
}

/** `kubectl apply -f` of a sample folder's manifests (not its `expected/`). */
export async function applySample(world: World, sample: string): Promise<void> {
  await kubectl(world, world.host, 'apply', '-f', path.join(PACKAGE_ROOT, 'samples', sample));
}

export function getApplication(world: World, name: string): Promise<ApplicationView> {
  return kubectlJson<ApplicationView>(world, world.host, '-n', PROJECT_NAMESPACE, `gapp/${name}`);
}

/** `kubectl patch --type=json` of one Application. */
export async function patchApplication(world: World, name: string, operations: readonly object[]): Promise<void> {
  const patch = JSON.stringify(operations);
  await kubectl(world, world.host, '-n', PROJECT_NAMESPACE, 'patch', 'gapp', name, '--type=json', '-p', patch);
}

/** The HelmReleases of one Application, by name. */
export async function childrenOf(world: World, uid: string): Promise<HelmReleaseView[]> {
  const all = await kubectlJson<{ items: HelmReleaseView[] }>(
    world,
    world.host,
    ...['-n', PROJECT_NAMESPACE, 'helmreleases.helm.toolkit.fluxcd.io'],
    ...['-l', `gitops.kubesphere.io/application-uid=${uid}`],
  );
  return all.items;
}

/** Waits until the newest generation of the Application is Ready and returns it. */
export function untilReady(setup: Observed, name: string): Promise<ApplicationView> {
  return eventually(
    async () => {
      const application = await getApplication(setup.world, name);
      const ready = application.status?.conditions?.find(({ type }) => type === 'Ready');
      const current = application.status?.observedGeneration === application.metadata.generation;
      if (ready?.status === 'True' && current) return application;
      const shown = JSON.stringify(application.status ?? {}, null, 1);
      const log = await setup.controller.log();
      throw new Error(`${name} is not Ready: ${shown}\ncontroller:\n${log.slice(-3_000)}`);
    },
    { timeoutMs: READY_MS, intervalMs: 300 },
  );
}
