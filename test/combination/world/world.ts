import { namespaceResource } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Policy } from '#controllers/application/model/policy/policy.js';
import { Clusters } from './clusters.js';
import { collect } from './collector.js';
import type { EngineWorld } from './engine-base.js';
import { FilesEngine } from './files-engine.js';
import { HelmEngine } from './helm-engine.js';
import { CHILD_RESOURCES, isServed } from './kinds.js';
import { Members } from './members.js';
import { ControllerProcess, type Told } from './process.js';
import { MemoryServer } from './server.js';
import type { Asking } from './writes.js';
import { fetchSources } from './sources.js';

const START_MS = Date.UTC(2026, 0, 1);
/** Milliseconds after which a probe follows a change, or a start. */
const PROBE_MS = 2_000;
/** Milliseconds after which one that does not answer is asked again. */
const REPEATED_MS = 300_000;
/** Milliseconds without anything to do that are a rest. */
const REST_MS = 5_000;
/** Passes in one settling that are too many for anything that settles. */
const MOST_PASSES = 600;
/** Passes in one burst that are too many: what settles needs fewer than 30. */
const MOST_PASSES_AT_ONCE = 100;
/** Milliseconds of a burst of passes. */
const BURST_MS = 1_000;

export const USER: Asking = { actor: 'user', manager: 'kubectl' };
export const NAMESPACE = 'shop';
const HOST_UID = 'uid-of-host';

/** The options of a world. */
export interface WorldOptions {
  /** Flux reconciles the children. Default: the embedded engine does. */
  readonly isEngineExternal?: boolean;
  /** Decides about destinations. Default: that of Fairlead. */
  readonly policy?: Policy | undefined;
}

/** A host with an API server, controllers, engines and members. Nothing happens but by its methods. */
export class World {
  readonly server: MemoryServer;
  readonly members = new Members();
  readonly clusters: Clusters;
  readonly #policy: Policy | undefined;
  readonly #engine: EngineWorld;
  readonly #helm: HelmEngine;
  readonly #files: FilesEngine;
  #process: ControllerProcess;
  #nowMs = START_MS;
  #probeAtMs: number | undefined = START_MS + PROBE_MS;
  /** Called after engines worked, and after each pass of the controllers. */
  onTurn: (turn: 'engines' | 'controllers') => void = () => undefined;
  /** The newest commit of every repository. */
  head = commitOf(1);
  /** Events of earlier processes. */
  readonly #told: Told[] = [];
  readonly #bugs: unknown[] = [];
  #passes = 0;
  /** How many changes there were when engines last found nothing to do; undefined: they may have something to do. */
  #restingSince: number | undefined;
  /** True if the last settling came to no end. */
  isRestless = false;

  constructor({ isEngineExternal = false, policy }: WorldOptions = {}) {
    const nowMs = (): number => this.#nowMs;
    this.server = new MemoryServer(nowMs);
    for (const name of [NAMESPACE, 'fairlead-system']) this.#addNamespace(name);
    this.clusters = new Clusters(this.server, NAMESPACE);
    this.members.add(HOST_UID);
    this.#engine = { server: this.server, members: this.members, nowMs, hostUid: HOST_UID, isEngineExternal };
    this.#helm = new HelmEngine(this.#engine);
    this.#files = new FilesEngine(this.#engine);
    this.#policy = policy;
    this.#process = this.#start();
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get process(): ControllerProcess {
    return this.#process;
  }

  get passes(): number {
    return this.#passes + this.#process.passes;
  }

  get hostUid(): string {
    return HOST_UID;
  }

  /** Everything that controllers told users. */
  get told(): readonly Told[] {
    return [...this.#told, ...this.#process.told];
  }

  get bugs(): readonly unknown[] {
    return [...this.#bugs, ...this.#process.bugs];
  }

  applications(): Application[] {
    return this.server.list(applicationResource) as Application[]; // users of this world write no other
  }

  application(name: string): Application | undefined {
    return this.applications().find(({ metadata }) => metadata.name === name);
  }

  children(): Child[] {
    return CHILD_RESOURCES.flatMap((type) => this.server.list(type)) as Child[]; // as above
  }

  /** The controllers are stopped, or were killed, and others take over: nothing is remembered. */
  restart(): void {
    this.#told.push(...this.#process.told);
    this.#bugs.push(...this.#process.bugs);
    this.#passes += this.#process.passes;
    this.#process = this.#start();
    this.probeSoon();
  }

  /** Clusters are asked again who they are. */
  probeSoon(): void {
    this.#probeAtMs = Math.min(this.#probeAtMs ?? Infinity, this.#nowMs + PROBE_MS);
  }

  /** True if the process of the controllers was killed. */
  isProcessDead(): boolean {
    return this.#process.isDead;
  }

  /** True if the controllers know everything, and have nothing to do for the next seconds. */
  isAtRest(): boolean {
    const { nextDueMs = Infinity, isStale } = this.#process;
    return !this.isRestless && !isStale && nextDueMs >= this.#nowMs + REST_MS;
  }

  /** A jump of the clock, without anybody doing anything meanwhile. */
  jump(seconds: number): void {
    this.#nowMs += seconds * 1_000;
  }

  /** Lets everybody work until nothing is due for so many seconds, which then have passed. */
  async settle(seconds: number): Promise<void> {
    const endMs = this.#nowMs + seconds * 1_000;
    const most = this.passes + MOST_PASSES;
    let burst = { sinceMs: this.#nowMs, passes: this.passes };
    // A step may change members without a write.
    this.#restingSince = undefined;
    for (;;) {
      if (this.#nowMs - burst.sinceMs > BURST_MS) burst = { sinceMs: this.#nowMs, passes: this.passes };
      this.isRestless = await this.#workNow(Math.min(most, burst.passes + MOST_PASSES_AT_ONCE));
      if (this.isRestless) break;
      const nextMs = this.#nextDueMs();
      if (nextMs === undefined || nextMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  #start(): ControllerProcess {
    const { server } = this;
    const { isEngineExternal } = this.#engine;
    const policy = this.#policy;
    return new ControllerProcess({ server, nowMs: () => this.#nowMs, isServed, isEngineExternal, policy });
  }

  /** Everything that is due now, and what follows from it at once. True: after so many passes that has no end. */
  async #workNow(mostPasses: number): Promise<boolean> {
    for (;;) {
      const before = this.server.events.length;
      this.#probe();
      if (!this.#areEnginesAtRest()) await this.#workEngines();
      this.#process.deliver();
      const ran = await this.#process.runDue();
      if (ran) this.onTurn('controllers');
      if (this.isProcessDead()) this.restart();
      if (this.passes > mostPasses) return true;
      if (!ran && this.server.events.length === before) return false;
    }
  }

  #probe(): void {
    const { identities } = this.#process;
    this.clusters.doubt(identities);
    if (this.#probeAtMs === undefined || this.#probeAtMs > this.#nowMs) return;
    const areAnswering = this.clusters.probe(identities, this.members);
    this.#probeAtMs = areAnswering ? undefined : this.#nowMs + REPEATED_MS;
  }

  /** True if the engines would find what they left, so that they did nothing again. */
  #areEnginesAtRest(): boolean {
    return this.#restingSince === this.server.changes && (this.#helm.nextDueMs ?? Infinity) > this.#nowMs;
  }

  async #workEngines(): Promise<void> {
    const { server, members } = this;
    const [changesBefore, actionsBefore] = [server.changes, members.actions.length];
    fetchSources(server, this.#nowMs, this.head);
    await this.#helm.reconcileAll();
    await this.#files.reconcileAll();
    collect(server);
    this.onTurn('engines');
    const isResting = server.changes === changesBefore && members.actions.length === actionsBefore;
    this.#restingSince = isResting ? server.changes : undefined;
  }

  #nextDueMs(): number | undefined {
    const times = [this.#process.nextDueMs, this.#helm.nextDueMs, this.#probeAtMs];
    const due = times.filter((time) => time !== undefined && time > this.#nowMs) as number[]; // the others are filtered
    return due.length === 0 ? undefined : Math.min(...due);
  }

  #addNamespace(name: string): void {
    const metadata = { name, finalizers: ['kubernetes'], labels: { 'kubernetes.io/metadata.name': name } };
    this.server.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata }, USER);
  }
}

/** A commit by its number. */
export function commitOf(number: number): string {
  return number.toString(16).padStart(40, '0');
}
