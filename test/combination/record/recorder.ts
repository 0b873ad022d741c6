import type { KubeObject } from '#api/meta.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Act, ApplicationName, MomentIndex } from '../model/facts.js';
import { isCurrentKept } from '../model/applications.js';
import { remember, type Memory } from '../model/story.js';
import { CHILD_RESOURCES } from '../world/kinds.js';
import type { ActionRecord } from '../world/members.js';
import { resourceOf } from '../world/server.js';
import type { World } from '../world/world.js';
import { modelName, type RevisionLog } from './acts.js';
import { FactsReader, runsOf } from './facts.js';

/** One change of an Application's child by the controllers. */
export interface ChildWrite {
  readonly before: Child | undefined;
  /** Undefined: it was deleted. */
  readonly after: Child | undefined;
}

/** Receives everything that happens, to judge it. `memory` holds the users' wishes of that time. */
export interface Listener {
  onActions(actions: readonly ActionRecord[], memory: Memory): void;
  onWrites(writes: readonly ChildWrite[], memory: Memory): void;
}

const CHILDREN = new Set(CHILD_RESOURCES.map(resourceOf));

/** Tells the model what users said and what ran, and others what the controllers and engines did. */
export class Recorder {
  readonly #world: World;
  readonly #listener: Listener;
  readonly #facts: FactsReader;
  readonly #revisions = new Map<ApplicationName, Map<number, MomentIndex>>();
  readonly #children = new Map<string, Child>();
  #memory: Memory;
  #actions = 0;
  #events = 0;

  constructor(world: World, listener: Listener) {
    this.#world = world;
    this.#listener = listener;
    this.#facts = new FactsReader(world);
    this.#memory = remember(undefined, this.#moment(undefined, true));
    world.onTurn = (turn) => (turn === 'engines' ? this.#afterEngines() : this.#afterControllers());
  }

  get memory(): Memory {
    return this.#memory;
  }

  get revisions(): RevisionLog {
    return this.#revisions;
  }

  /** A user did something. */
  acted(act: Act): void {
    this.#readEvents();
    this.#remember(act, false);
  }

  /** Everybody has worked for a while; at rest, nobody has anything to do any more. */
  settled(): void {
    this.#remember(undefined, this.#world.isAtRest());
    for (const { metadata, status } of this.#world.applications()) {
      const number = status?.history?.revision;
      if (number === undefined || status?.observedGeneration !== metadata.generation) continue;
      const name = modelName(metadata.name);
      const application = this.#memory.applications.get(name);
      // The status still has the number of the one before.
      if (application === undefined || !isCurrentKept(application)) continue;
      const known = this.#revisions.get(name) ?? new Map<number, MomentIndex>();
      this.#revisions.set(name, known.set(number, this.#memory.index));
    }
  }

  #moment(act: Act | undefined, isSettled: boolean) {
    return {
      ...{ atMs: this.#world.nowMs, isSettled },
      world: this.#facts.read(),
      runs: runsOf(this.#world),
      ...(act === undefined ? {} : { act }),
    };
  }

  #remember(act: Act | undefined, isSettled: boolean): void {
    this.#memory = remember(this.#memory, this.#moment(act, isSettled));
  }

  #afterEngines(): void {
    this.#readEvents();
    const { actions } = this.#world.members;
    if (actions.length === this.#actions) return;
    const added = actions.slice(this.#actions);
    this.#actions = actions.length;
    this.#listener.onActions(added, this.#memory);
    this.#remember(undefined, false);
  }

  #afterControllers(): void {
    const writes = this.#readEvents();
    if (writes.length === 0) return;
    if (this.#memory.moment.atMs < this.#world.nowMs) this.#remember(undefined, false);
    this.#listener.onWrites(writes, this.#memory);
  }

  /** The changes of children since this was asked last. */
  #readEvents(): ChildWrite[] {
    const { events } = this.#world.server;
    const writes: ChildWrite[] = [];
    for (; this.#events < events.length; this.#events += 1) {
      const event = events[this.#events];
      if (event !== undefined && CHILDREN.has(event.resource)) writes.push(...this.#hear(event.type, event.object));
    }
    return writes;
  }

  #hear(type: string, object: KubeObject): ChildWrite[] {
    const child = object as Child; // of one of these resources
    const key = `${child.kind} ${keyOf(child.metadata)}`;
    const before = this.#children.get(key);
    const after = type === 'deleted' ? undefined : child;
    if (after === undefined) this.#children.delete(key);
    else this.#children.set(key, after);
    const isOurs = child.metadata.labels?.[APPLICATION_UID_LABEL] !== undefined;
    return isOurs ? [{ before, after }] : [];
  }
}
