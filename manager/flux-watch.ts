import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deploymentResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { chooseEngine, observeFluxCrds } from './engine-choice.js';
import type { Engine, Options } from './options.js';

const LOOK_MS = 30_000;
/** After a failed check, and while a conflicting Flux keeps the engine waiting. */
const LOOK_SOON_MS = 5_000;
const PART_OF_FLUX = 'app.kubernetes.io/part-of=flux';
const COMPONENT_LABEL = 'app.kubernetes.io/component';
/** The controllers of Flux that do what the embedded engine does. */
const RIVALS = ['source-controller', 'helm-controller'];
/** Those that stand for the Leases without which it does not work. */
const CONTROLLERS = [...RIVALS, 'kustomize-controller'];
/** How many Deployments a warning names. */
const NAMED = 5;

export interface Deployment extends KubeObject {
  spec?: { replicas?: number; template?: { spec?: { containers?: { args?: string[] }[] } } };
}

function runsOneOf(controllers: readonly string[], { metadata, spec }: Deployment): boolean {
  const names = [metadata.name, metadata.labels?.[COMPONENT_LABEL] ?? ''];
  return spec?.replicas !== 0 && controllers.some((each) => names.some((name) => name.startsWith(each)));
}

/** A controller of Flux that is one of several (sharding) has a Lease of another name. */
function standsForTheLease({ spec }: Deployment): boolean {
  const args = spec?.template?.spec?.containers?.flatMap((container) => container.args ?? []) ?? [];
  const isOn = args.some((arg) => /^--enable-leader-election(=true)?$/.test(arg));
  return isOn && !args.some((arg) => arg.startsWith('--watch-label-selector'));
}

function inWords({ metadata }: Deployment): string {
  return `Deployment ${metadata.namespace ?? ''}/${metadata.name} of Flux runs`;
}

/**
 * Flux's controllers that run in `fluxNamespace` and that our hold on the three Leases does not keep waiting, in words.
 * A Deployment in another namespace never counts: any tenant could create one and stop the engine. Pure.
 */
export function unguardedFlux(deployments: readonly Deployment[], fluxNamespace: string): string[] {
  return deployments
    .filter(({ metadata }) => metadata.namespace === fluxNamespace)
    .filter((each) => runsOneOf(RIVALS, each) && !standsForTheLease(each))
    .map(inWords)
    .sort();
}

/** What runs in other namespaces and has the name and label of Flux's controllers: its namespaced name. Pure. */
export function fluxElsewhere(deployments: readonly Deployment[], fluxNamespace: string): string[] {
  return deployments
    .filter((each) => each.metadata.namespace !== fluxNamespace && runsOneOf(RIVALS, each))
    .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)
    .sort();
}

/** The Deployments of one namespace, or of all, that say that they are part of Flux. */
async function listFlux(kube: Kube, namespace?: string, signal?: AbortSignal): Promise<Deployment[]> {
  const query = { namespace, labelSelector: PART_OF_FLUX, signal };
  return (await listAll<Deployment>(kube, deploymentResource, query)).items;
}

/** Flux's controllers that run and use the CRDs or the Leases of the embedded engine, in words. */
export async function runningFlux(kube: Kube, namespace?: string): Promise<string[]> {
  return (await listFlux(kube, namespace))
    .filter((each) => runsOneOf(CONTROLLERS, each))
    .map(inWords)
    .sort();
}

export interface FluxWatchOptions {
  readonly kube: Kube;
  readonly options: Options;
  readonly engine: Exclude<Engine, 'auto'>;
  readonly log: Logger;
}

/** Looks, as long as the process lives, whether the engine that it runs is still the right one, and the only one. */
export class FluxWatch {
  /** Resolves when no Flux runs that does not use the Leases. */
  readonly clear: Promise<void>;
  readonly #options: FluxWatchOptions;
  readonly #changing = new AbortController();
  readonly #ended = new AbortController();
  #resolveClear = (): void => undefined;
  #isClear = false;
  #hasWarned = false;
  #conflicting: readonly string[] = [];
  #problem: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: FluxWatchOptions) {
    this.#options = options;
    this.clear = new Promise((resolve) => (this.#resolveClear = resolve));
  }

  /** Aborted when another engine is the right one now, or a Flux without the Leases started: shut down in order. */
  get changed(): AbortSignal {
    return this.#changing.signal;
  }

  /** Why the embedded engine waits, or cannot know; empty when it does not. */
  notReady(): string[] {
    const problem = this.#problem === undefined || this.#isClear ? [] : [`checking for Flux failed: ${this.#problem}`];
    return [...this.#conflicting, ...problem];
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await this.#look(signal);
      const isSettled = this.#problem === undefined && this.#conflicting.length === 0;
      await delay(isSettled ? LOOK_MS : LOOK_SOON_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const isEmbedded = this.#options.engine === 'embedded';
    try {
      if (isEmbedded) this.#judge(await this.#observeFlux(signal));
      if (this.#options.options.engine === 'auto') await this.#lookAtCrds(signal);
      if (isEmbedded && !this.#hasWarned) await this.#lookElsewhere(signal);
      this.#problem = undefined;
    } catch (error: unknown) {
      if (signal.aborted) return;
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#options.log.warn({ err: problem }, 'checking for Flux failed, retrying');
      this.#problem = problem;
    }
  }

  async #observeFlux(signal: AbortSignal): Promise<string[]> {
    const { kube, options } = this.#options;
    const { fluxNamespace } = options;
    return unguardedFlux(await listFlux(kube, fluxNamespace, signal), fluxNamespace);
  }

  /** Reports once what may be Flux: only the user knows. */
  async #lookElsewhere(signal: AbortSignal): Promise<void> {
    const { kube, options, log } = this.#options;
    const { fluxNamespace } = options;
    const found = fluxElsewhere(await listFlux(kube, undefined, signal), fluxNamespace);
    if (found.length === 0) return;
    this.#hasWarned = true;
    log.warn({ deployments: found.slice(0, NAMED), count: found.length, fluxNamespace }, ELSEWHERE_HINT);
  }

  #judge(conflicting: readonly string[]): void {
    const news = conflicting.join(', ');
    if (news !== this.#conflicting.join(', ') && news !== '')
      this.#options.log.warn({ deployments: news }, CONFLICT_HINT);
    this.#conflicting = conflicting;
    if (conflicting.length === 0 && !this.#isClear) {
      this.#isClear = true;
      this.#resolveClear();
    } else if (conflicting.length > 0 && this.#isClear && !this.changed.aborted) {
      this.#changing.abort(new TransientError(`${news}; this process exits: ${CONFLICT_HINT}`, { reason: 'FluxRuns' }));
    }
  }

  /** Deleted CRDs decide nothing: others may be installed in their place soon. */
  async #lookAtCrds(signal: AbortSignal): Promise<void> {
    const { kube, engine } = this.#options;
    const crds = await observeFluxCrds(kube, { signal });
    if (crds === 'missing' || chooseEngine('auto', crds) === engine || this.changed.aborted) return;
    const whose = crds === 'ours' ? "are Fairlead's now" : "are Flux's now";
    const message = `the Flux CRDs ${whose}: this process runs with --engine=${engine} and exits to restart with the other engine`;
    this.#options.log.warn(message);
    this.#changing.abort(new TransientError(message, { reason: 'EngineChanged' }));
  }
}

const CONFLICT_HINT = 'the embedded engine waits until it stops: scale it to 0 replicas, or run with --engine=external';
const ELSEWHERE_HINT =
  'Deployments outside of --flux-namespace look like those of Flux and are ignored: if Flux runs ' +
  'there, stop it or set --flux-namespace to its namespace; otherwise both engines reconcile the same releases';
