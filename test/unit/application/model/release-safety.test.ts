import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import uniqBy from 'lodash/uniqBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { ENTRY_NAME_ANNOTATION, SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import { liveReleaseKey, releaseKeyText } from '#controllers/application/model/destinations/identity.js';
import { rejectedEntries } from '#controllers/application/model/destinations/rejected.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { resumption } from '#controllers/application/model/child/metadata.js';
import { application, deploy, type Deploy, entriesOf, leaving, suspended, workApproved } from './builders.js';

/** One destination as the user means it. */
interface Wish {
  readonly name: string | undefined;
  readonly cluster: string | undefined;
  readonly namespace: string;
  readonly releaseName: string;
}

/** What the user does, and what happens meanwhile. */
interface Turn {
  readonly wishes: readonly Wish[];
  /** The kubeconfig Secret of `eu` has this name now; the cluster is the same. */
  readonly secret: string;
  readonly typo: ((entry: Deploy) => Deploy) | undefined;
  readonly twice: boolean;
  /** How many steps of each pass are done before the controller is killed. */
  readonly killedAfter: readonly number[];
  readonly complete: boolean;
  /** The cluster whose engine does nothing meanwhile. */
  readonly lost: string | undefined;
}

const wish: fc.Arbitrary<Wish> = fc.record({
  name: fc.constantFrom(undefined, 'a', 'b'),
  cluster: fc.constantFrom(undefined, 'eu', 'us'),
  namespace: fc.constantFrom('prod', 'test'),
  releaseName: fc.constantFrom('r1', 'r2', 'r3'),
});

const slotOf = ({ cluster, namespace, releaseName }: Wish): string => JSON.stringify([cluster, namespace, releaseName]);

/** No two with one release or one name. */
const wishes = fc
  .array(wish, { minLength: 1, maxLength: 4 })
  .map((list) => uniqBy(uniqBy(list, slotOf), ({ name, ...rest }) => name ?? slotOf({ name, ...rest })));

const typos: readonly ((entry: Deploy) => Deploy)[] = [
  ({ destination, ...rest }) => ({ ...rest, destination: { ...destination, targetNamespace: 'Prod' } }),
  (entry) => omit(entry, 'destination'),
  (entry) => ({ ...entry, releaseName: 'Not Valid' }),
  // Left over when the server prunes what is null.
  (entry) => ({ ...entry, destination: { kubeConfig: {} } }) as unknown as Deploy,
];

const turn: fc.Arbitrary<Turn> = fc.record({
  wishes,
  secret: fc.constantFrom('eu', 'eu', 'eu-2'),
  typo: fc.option(fc.constantFrom(...typos), { nil: undefined, freq: 2 }),
  twice: fc.boolean(),
  killedAfter: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
  complete: fc.boolean(),
  lost: fc.constantFrom(undefined, undefined, 'eu', 'us'),
});

function entriesFor({ wishes: list, secret, typo, twice }: Turn): Deploy[] {
  const entries = list.map(({ name, cluster, namespace, releaseName }) =>
    deploy(namespace, cluster === 'eu' ? secret : cluster, { releaseName, ...(name === undefined ? {} : { name }) }),
  );
  const [first, ...others] = entries;
  if (first === undefined) return [];
  if (typo !== undefined) return [typo(first), ...others];
  // Copied, and one more thing forgotten to change.
  return twice ? [first, ...others.slice(0, -1), first] : entries;
}

/** The cluster of a child, whatever its kubeconfig Secret is called. */
function clusterOf(child: Child): string | undefined {
  return child.spec.kubeConfig?.secretRef?.name.replace(/-2$/, '');
}

/** What a server-side apply and the patch after it make of a child: a field that another request wrote stays. */
function updated({ live, object }: Extract<Step, { op: 'update' }>): Child {
  const taken = resumption(live, object);
  const isSuspended = live.spec.suspend === true && taken?.spec === undefined;
  const mark = taken === undefined ? pick(live.metadata.annotations ?? {}, SUSPENDED_FOR_REMOVAL_ANNOTATION) : {};
  const annotations = { ...mark, ...object.metadata.annotations };
  const metadata = { ...object.metadata, annotations };
  return { ...live, ...object, metadata, spec: { ...object.spec, ...(isSuspended ? { suspend: true } : {}) } };
}

/** The child as the server has it after a step. */
function after(step: Step): Child | undefined {
  if (step.op === 'create') return step.object;
  if (step.op === 'update') return updated(step);
  if (step.op === 'suspend') return suspended(step.live);
  return step.op === 'delete' ? leaving(step.live) : undefined;
}

/** Children on the host and releases on clusters, with an engine that does as helm-controller does. */
class World {
  readonly children = new Map<string, Child>();
  /** By cluster, namespace and name: the child that installed it last. */
  readonly releases = new Map<string, string>();
  /** What went that should not have. */
  readonly losses: string[] = [];

  #placeOf(child: Child, releaseName: string | undefined, namespace: string | undefined): string {
    return JSON.stringify([clusterOf(child), namespace, releaseName]);
  }

  #wanted(child: Child): string {
    return this.#placeOf(child, child.spec.releaseName, child.spec.storageNamespace);
  }

  #made(child: Child): string | undefined {
    const name = child.status?.history?.[0]?.name;
    return name === undefined ? undefined : this.#placeOf(child, name, child.status?.storageNamespace);
  }

  /** An uninstall takes whatever has the name: it must be the child's own. */
  #uninstall(child: Child): void {
    const place = this.#made(child);
    if (place === undefined || !this.releases.has(place)) return;
    const owner = this.releases.get(place);
    if (owner !== child.metadata.name) this.losses.push(`${child.metadata.name} uninstalls ${place} of ${owner}`);
    this.releases.delete(place);
  }

  #act(child: Child): void {
    const { name } = child.metadata;
    if (child.metadata.deletionTimestamp !== undefined) {
      if (child.spec.suspend !== true) this.#uninstall(child);
      this.children.delete(name);
      return;
    }
    if (child.spec.suspend === true) return;
    const place = this.#wanted(child);
    if (this.#made(child) !== place) this.#uninstall(child);
    this.releases.set(place, name);
    const { releaseName = '', storageNamespace = '' } = child.spec;
    this.children.set(name, { ...child, status: { storageNamespace, history: [{ name: releaseName }] } });
  }

  /** The engine looks at every child of a cluster that it can reach. */
  reconcile(lost?: string): void {
    for (const child of this.children.values()) if (lost === undefined || clusterOf(child) !== lost) this.#act(child);
  }

  /** Somebody copies a child, as from a backup under another name. */
  copy(entryName: string): void {
    const [first] = this.children.values();
    if (first === undefined) return;
    const child: Child = omit(first, 'status');
    const annotations = { ...child.metadata.annotations, [ENTRY_NAME_ANNOTATION]: entryName };
    const metadata = { ...child.metadata, name: `copy-for-${entryName}`, annotations };
    this.children.set(metadata.name, { ...child, metadata });
  }

  do(steps: readonly Step[]): void {
    for (const step of steps) {
      const child = after(step);
      if (child !== undefined) this.children.set(child.metadata.name, child);
    }
  }
}

/** An Application at one time, with what must not be lost for it. */
interface Goal {
  readonly app: Application;
  readonly isDoubtful: boolean;
  /** Release keys of the entries that are acted upon. */
  readonly wanted: ReadonlySet<string>;
}

function goalOf(entries: Deploy[]): Goal {
  const app = application(entries);
  const all = entriesOf(app);
  const rejected = new Set(rejectedEntries(all).map(({ entry }) => entry));
  const wanted = all.filter((entry) => !rejected.has(entry)).map(({ release }) => releaseKeyText(release));
  return { app, isDoubtful: rejected.size > 0, wanted: new Set(wanted) };
}

/** True for a step after which a release is no longer where an entry wants it, or may have meant it. */
function isLoss(step: Step, { isDoubtful, wanted }: Goal): boolean {
  if (step.op !== 'delete' && step.op !== 'update') return false;
  if (step.op === 'delete' && isDoubtful) return true;
  if (step.op === 'delete' && step.live.spec.suspend === true) return false;
  const from = releaseKeyText(liveReleaseKey(step.live));
  return wanted.has(from) && (step.op === 'delete' || from !== releaseKeyText(liveReleaseKey(step.object)));
}

/** One look at the world by the controller. */
function pass(world: World, goal: Goal, complete = true): readonly Step[] {
  const { steps } = workApproved(goal.app, [...world.children.values()], { complete });
  const lost = steps.filter((step) => isLoss(step, goal) || (!complete && step.op === 'delete'));
  world.losses.push(...lost.map(({ op, why }) => `${op}: ${why}`));
  return steps;
}

function play(world: World, now: Turn): void {
  const goal = goalOf(entriesFor(now));
  for (const count of now.killedAfter) {
    world.do(pass(world, goal, now.complete).slice(0, count));
    world.reconcile(now.lost);
  }
}

/** All clusters answer, and nobody edits any more: passes and engine, until nothing is left to do. */
function settle(world: World, entries: Deploy[]): readonly Step[] {
  const goal = goalOf(entries);
  for (let turns = 0; turns < 8; turns += 1) {
    const steps = pass(world, goal);
    if (steps.every(({ op }) => op === 'keep')) return steps;
    world.do(steps);
    world.reconcile();
  }
  return pass(world, goal);
}

describe('whatever is edited, mistaken, moved, renamed, cut off or lost', () => {
  it('no release goes that is wanted, what is not wanted goes in the end, and then all is kept', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
        const world = new World();
        for (const each of turns) play(world, each);
        const last = turns.at(-1)!;
        const mended = entriesFor({ ...last, typo: undefined, twice: false });
        const ops = settle(world, mended).map(({ op }) => op);
        world.reconcile();
        expect({ losses: world.losses, ops, releases: [...world.releases.keys()].sort() }).toEqual({
          losses: [],
          ops: mended.map(() => 'keep'),
          releases: last.wishes.map(slotOf).map(normal).sort(),
        });
      }),
      { numRuns: 10_000 },
    );
  }, 300_000);
});

describe('a copy of a child, whatever its entry is called meanwhile', () => {
  const named = fc.record({
    name: fc.constantFrom(undefined, 'b'),
    steps: fc.nat(3),
    isComplete: fc.boolean(),
    isLooked: fc.boolean(),
  });
  const entry = (name?: string): Deploy =>
    deploy('prod', 'eu', { releaseName: 'r1', ...(name === undefined ? {} : { name }) });

  it('goes or stays in the end, one of both runs on, and the release is never uninstalled', () => {
    fc.assert(
      fc.property(fc.array(named, { maxLength: 6 }), (turns) => {
        const world = new World();
        settle(world, [entry()]);
        world.copy('b');
        for (const { name, steps, isComplete, isLooked } of turns) {
          world.do(pass(world, goalOf([entry(name)]), isComplete).slice(0, steps));
          if (isLooked) world.reconcile();
        }
        settle(world, [entry(turns.at(-1)?.name)]);
        const children = [...world.children.values()].map(({ spec }) => spec.suspend ?? false);
        expect({ children, releases: world.releases.size }).toEqual({ children: [false], releases: 1 });
        expect(world.losses).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  }, 60_000);
});

/** As the world writes it. */
function normal(slot: string): string {
  return JSON.stringify(JSON.parse(slot));
}
