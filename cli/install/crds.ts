import { crdResource } from '#api/core.js';
import type { Condition, KubeObject } from '#api/meta.js';
import { runningFlux } from '#manager/flux-watch.js';
import type { Kube } from '#runtime/client/kube.js';
import { until } from '#runtime/until.js';
import { applyObject, type Applied, type ApplyMode } from '../command/objects.js';
import { planCrds, refusalOf, type CrdStep, type InstallRules } from './crd-rules.js';
import { crdNames, readCrds } from './package.js';

const ESTABLISHED_LIMIT_MS = 30_000;
const POLL_MS = 100;

export interface Crd extends KubeObject {
  spec: {
    group: string;
    names: { kind: string; plural: string };
    scope: string;
    versions: { name: string; served: boolean }[];
  };
  status?: { conditions?: Condition[] };
}

/** The CRDs of these names that the cluster has. */
export async function liveCrds(kube: Kube, names: readonly string[]): Promise<Crd[]> {
  const found = await Promise.all(names.map((name) => kube.get<Crd>(crdResource, { name })));
  return found.filter((crd) => crd !== undefined);
}

/** The CRDs of this version that the cluster has, whoever installed them. */
export async function installedCrds(kube: Kube): Promise<Crd[]> {
  return liveCrds(kube, await crdNames());
}

function isEstablished(crd: Crd | undefined): boolean {
  return crd?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
}

/** Waits until the API server serves a CRD. */
export async function untilEstablished(kube: Kube, name: string, signal?: AbortSignal): Promise<void> {
  const look = async (): Promise<boolean> => isEstablished(await kube.get<Crd>(crdResource, { name }));
  if (await until(look, { timeoutMs: ESTABLISHED_LIMIT_MS, intervalMs: POLL_MS, signal })) return;
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

/** A step that was done, or tried. */
export interface DoneStep extends CrdStep {
  /** Absent for a CRD that is left unchanged. */
  readonly applied?: Applied;
}

/** What is to be done with each CRD. Throws, before anything is written, when one of them must not be replaced. */
export async function decideCrds(kube: Kube, rules: InstallRules): Promise<CrdStep[]> {
  if (rules.replaceFlux === true) await refuseRunningFlux(kube, rules.fluxNamespace);
  const wanted = await readCrds();
  const live = await installedCrds(kube);
  const steps = planCrds(wanted, live, rules);
  refuse(steps);
  return steps;
}

/** Does what was decided, and waits until the CRDs are served; with `dryRun` it only asks the server. */
export async function applyCrds(
  kube: Kube,
  steps: readonly CrdStep[],
  { signal, ...mode }: ApplyMode & { readonly signal?: AbortSignal },
): Promise<DoneStep[]> {
  const byName = new Map((await readCrds()).map((crd) => [crd.metadata.name, crd]));
  const done = await Promise.all(
    steps.map(async (step): Promise<DoneStep> => {
      const object = step.action === 'apply' ? byName.get(step.name) : undefined;
      if (object === undefined) return step;
      return { ...step, applied: await applyObject(kube, { type: crdResource, object }, mode) };
    }),
  );
  const applied = done.filter(({ action }) => action === 'apply').map(({ name }) => name);
  if (!mode.dryRun) await Promise.all(applied.map((name) => untilEstablished(kube, name, signal)));
  return done;
}

/**
 * Installs or upgrades the CRDs of this version and waits until they are served. Throws, before anything is written, when
 * one of them must not be replaced.
 */
export async function installCrds(kube: Kube, rules: InstallRules): Promise<void> {
  await applyCrds(kube, await decideCrds(kube, rules), { dryRun: false });
}
