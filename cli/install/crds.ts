import { crdResource } from '../../api/core.js';
import type { Condition, KubeObject } from '../../api/meta.js';
import { runningFlux } from '../../controllers/flux-watch.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { until } from '../../controllers/runtime/until.js';
import { planCrds, refusalOf, type CrdStep, type InstallRules } from './crd-rules.js';
import { readCrds } from './package.js';

export const FIELD_MANAGER = 'fairlead-install';

const ESTABLISHED_LIMIT_MS = 30_000;
const POLL_MS = 100;

export interface Crd extends KubeObject {
  spec: { group: string; names: { kind: string; plural: string }; scope: string; versions: { name: string }[] };
  status?: { conditions?: Condition[] };
}

/** The CRDs of these names that the cluster has. */
export async function liveCrds(kube: Kube, names: readonly string[]): Promise<Crd[]> {
  const found = await Promise.all(names.map((name) => kube.get<Crd>(crdResource, { name })));
  return found.filter((crd) => crd !== undefined);
}

function isEstablished(crd: Crd | undefined): boolean {
  return crd?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
}

async function untilEstablished(kube: Kube, name: string): Promise<void> {
  const look = async (): Promise<boolean> => isEstablished(await kube.get<Crd>(crdResource, { name }));
  if (await until(look, { timeoutMs: ESTABLISHED_LIMIT_MS, intervalMs: POLL_MS })) return;
  throw new Error(
    `CRD ${name} was not established after ${ESTABLISHED_LIMIT_MS / 1_000} s: kubectl describe crd ${name}`,
  );
}

function refuse(steps: readonly CrdStep[]): void {
  const refusal = refusalOf(steps);
  if (refusal !== '') throw new Error(`nothing was installed; ${refusal}`);
}

/**
 * Its controllers would go on with schemas that are not theirs. Those outside of the cluster cannot be seen. Anybody's
 * Deployment may look like Flux's, so that the user may say where Flux is.
 */
async function refuseRunningFlux(kube: Kube, namespace: string | undefined): Promise<void> {
  const running = await runningFlux(kube, namespace);
  if (running.length === 0) return;
  const way = 'scale it to 0 replicas first, and keep its CRDs';
  const elsewhere =
    namespace === undefined ? '; if it is not Flux, set the namespace of Flux with --flux-namespace' : '';
  throw new Error(`nothing was installed; ${running.join(', ')}: ${way}${elsewhere}`);
}

/**
 * Installs or upgrades the CRDs of this version and waits until they are served. Returns what was decided for each.
 * Throws, before anything is written, when one of them must not be replaced.
 */
export async function installCrds(kube: Kube, options: InstallRules): Promise<CrdStep[]> {
  if (options.replaceFlux === true) await refuseRunningFlux(kube, options.fluxNamespace);
  const wanted = await readCrds();
  const live = await liveCrds(
    kube,
    wanted.map(({ metadata }) => metadata.name),
  );
  const steps = planCrds(wanted, live, options);
  refuse(steps);
  const applied = new Set(steps.filter(({ action }) => action === 'apply').map(({ name }) => name));
  const ours = wanted.filter(({ metadata }) => applied.has(metadata.name));
  await Promise.all(ours.map((crd) => kube.apply(crdResource, crd, { fieldManager: FIELD_MANAGER, force: true })));
  await Promise.all([...applied].map((name) => untilEstablished(kube, name)));
  return steps;
}
