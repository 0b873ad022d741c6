import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deploymentResource } from '../api/core.js';
import type { KubeObject } from '../api/meta.js';
import { chooseEngine, observeFluxCrds } from './engine-choice.js';
import type { Engine, Options } from './options.js';
import type { Mandate } from './runtime/fence.js';
import { listAll, type Kube } from './runtime/kube.js';
import { TransientError } from './runtime/pure/errors.js';

const LOOK_MS = 30_000;
/** After a look that failed, and while a rival keeps the engine waiting. */
const LOOK_SOON_MS = 5_000;
const PART_OF_FLUX = 'app.kubernetes.io/part-of=flux';
const COMPONENT_LABEL = 'app.kubernetes.io/component';
/** The controllers of Flux that do what the embedded engine does. */
const RIVALS = ['source-controller', 'helm-controller'];

export interface Deployment extends KubeObject {
  spec?: { replicas?: number; template?: { spec?: { containers?: { args?: string[] }[] } } };
}

function isRival({ metadata, spec }: Deployment): boolean {
  const names = [metadata.name, metadata.labels?.[COMPONENT_LABEL] ?? ''];
  return spec?.replicas !== 0 && RIVALS.some((rival) => names.some((name) => name.startsWith(rival)));
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
 * Flux's controllers that run and that our hold on the three Leases in `fluxNamespace` does not keep waiting, in words.
 * Pure.
 */
export function unguardedFlux(deployments: readonly Deployment[], fluxNamespace: string): string[] {
  return deployments
    .filter((each) => isRival(each) && !(each.metadata.namespace === fluxNamespace && standsForTheLease(each)))
    .map(inWords)
    .sort();
}

async function listFlux(kube: Kube, signal?: AbortSignal): Promise<Deployment[]> {
  return (await listAll<Deployment>(kube, deploymentResource, { labelSelector: PART_OF_FLUX, signal })).items;
}

/** Flux's controllers that do what the embedded engine does and that run, in words. */
export async function runningFlux(kube: Kube): Promise<string[]> {
  return (await listFlux(kube)).filter(isRival).map(inWords).sort();
}

export interface FluxWatchOptions {
  readonly kube: Kube;
  readonly options: Options;
  readonly engine: Exclude<Engine, 'auto'>;
  readonly log: Logger;
}

/** Looks, as long as the process lives, whether the engine that it runs is still the right one, and the only one. */
export class FluxWatch implements Mandate {
  /** Resolves when no rival runs that the Leases would not keep waiting. */
  readonly clear: Promise<void>;
  /** The deadline of writes is a matter of the Leases. */
  readonly writeUntilMs = undefined;
  readonly #options: FluxWatchOptions;
  readonly #losing = new AbortController();
  readonly #changing = new AbortController();
  readonly #ended = new AbortController();
  #resolveClear = (): void => undefined;
  #isClear = false;
  #rivals: readonly string[] = [];
  #problem: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: FluxWatchOptions) {
    this.#options = options;
    this.clear = new Promise((resolve) => (this.#resolveClear = resolve));
  }

  /** Aborted when a rival came while we worked: nothing more may be written. */
  get lost(): AbortSignal {
    return this.#losing.signal;
  }

  /** Aborted when another engine is the right one now: this one ends in order. */
  get changed(): AbortSignal {
    return this.#changing.signal;
  }

  /** Why the embedded engine waits, or cannot know; empty when it does not. */
  notReady(): string[] {
    const problem = this.#problem === undefined || this.#isClear ? [] : [`a look for Flux: ${this.#problem}`];
    return [...this.#rivals, ...problem];
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
      const isSettled = this.#problem === undefined && this.#rivals.length === 0;
      await delay(isSettled ? LOOK_MS : LOOK_SOON_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      if (this.#options.engine === 'embedded') this.#judge(await this.#observeRivals(signal));
      if (this.#options.options.engine === 'auto') await this.#lookAtCrds(signal);
      this.#problem = undefined;
    } catch (error: unknown) {
      if (signal.aborted) return;
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#options.log.warn({ err: problem }, 'a look for Flux');
      this.#problem = problem;
    }
  }

  async #observeRivals(signal: AbortSignal): Promise<string[]> {
    const { kube, options } = this.#options;
    return unguardedFlux(await listFlux(kube, signal), options.fluxNamespace);
  }

  #judge(rivals: readonly string[]): void {
    const news = rivals.join(', ');
    if (news !== this.#rivals.join(', ') && news !== '') this.#options.log.warn({ rivals: news }, RIVAL_HINT);
    this.#rivals = rivals;
    if (rivals.length === 0 && !this.#isClear) {
      this.#isClear = true;
      this.#resolveClear();
    } else if (rivals.length > 0 && this.#isClear && !this.lost.aborted) {
      this.#losing.abort(new TransientError(`${news}; this process ends: ${RIVAL_HINT}`, { reason: 'FluxRuns' }));
    }
  }

  /** CRDs that are gone say nothing: whoever removed them may be about to put others in their place. */
  async #lookAtCrds(signal: AbortSignal): Promise<void> {
    const { kube, engine } = this.#options;
    const crds = await observeFluxCrds(kube, { signal });
    if (crds === 'missing' || chooseEngine('auto', crds) === engine || this.changed.aborted) return;
    const whose = crds === 'ours' ? "are Fairlead's now" : "are Flux's now";
    const message = `the Flux CRDs ${whose}: this process, which runs with --engine=${engine}, ends to start anew`;
    this.#options.log.warn(message);
    this.#changing.abort(new TransientError(message, { reason: 'EngineChanged' }));
  }
}

const RIVAL_HINT =
  'the embedded engine waits: end Flux, run with --engine=external, or name its namespace with --flux-namespace';
