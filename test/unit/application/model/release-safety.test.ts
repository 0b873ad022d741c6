import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit.js';
import uniqBy from 'lodash/uniqBy.js';
import { entriesOf } from '../../../../controllers/application/model/entries.js';
import { releaseKeyText } from '../../../../controllers/application/model/identity.js';
import { liveReleaseKey } from '../../../../controllers/application/model/ownership.js';
import { rejectedEntries } from '../../../../controllers/application/model/reject.js';
import type { Child, Step } from '../../../../controllers/application/model/types.js';
import { application, deploy, leaving, work, type Deploy } from './builders.js';

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

/** The child as the server has it after a step. */
function after(step: Step): Child | undefined {
  if (step.op === 'create') return step.object;
  if (step.op === 'update') return { ...step.live, ...step.object };
  if (step.op === 'suspend') return { ...step.live, spec: { ...step.live.spec, suspend: true } };
  return step.op === 'delete' ? leaving(step.live) : undefined;
}

/** Children on the host and releases on clusters, with an engine that does as helm-controller does. */
class World {
  readonly children = new Map<string, Child>();
  /** By cluster, namespace and name: the child that installed it last. */
  readonly releases = new Map<string, string>();

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
    expect(`${place} of ${this.releases.get(place)}`).toBe(`${place} of ${child.metadata.name}`);
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

  do(steps: readonly Step[]): void {
    for (const step of steps) {
      const child = after(step);
      if (child !== undefined) this.children.set(child.metadata.name, child);
    }
  }
}

/** Deletes nothing that an entry wants, or may have meant, and moves no release away that one wants. */
function judge(steps: readonly Step[], entries: Deploy[]): void {
  const all = entriesOf(application(entries));
  const rejected = new Set(rejectedEntries(all).map(({ entry }) => entry));
  const wanted = new Set(all.filter((entry) => !rejected.has(entry)).map(({ release }) => releaseKeyText(release)));
  for (const step of steps) {
    if (step.op === 'delete') {
      expect(rejected.size).toBe(0);
      if (step.live.spec.suspend !== true) expect(wanted).not.toContain(releaseKeyText(liveReleaseKey(step.live)));
    }
    if (step.op !== 'update') continue;
    const [from, to] = [step.live, step.object].map((child) => releaseKeyText(liveReleaseKey(child)));
    if (from !== to) expect(wanted).not.toContain(from);
  }
}

function play(world: World, now: Turn): void {
  const entries = entriesFor(now);
  for (const count of now.killedAfter) {
    const { steps } = work(application(entries), [...world.children.values()], { complete: now.complete });
    if (!now.complete) expect(steps.filter(({ op }) => op === 'delete')).toEqual([]);
    judge(steps, entries);
    world.do(steps.slice(0, count));
    world.reconcile(now.lost);
  }
}

/** All clusters answer, and nobody edits any more: passes and engine, until nothing is left to do. */
function settle(world: World, entries: Deploy[]): Step[] {
  for (let pass = 0; pass < 8; pass += 1) {
    const { steps } = work(application(entries), [...world.children.values()]);
    if (steps.every(({ op }) => op === 'keep')) return [...steps];
    judge(steps, entries);
    world.do(steps);
    world.reconcile();
  }
  return [...work(application(entries), [...world.children.values()]).steps];
}

describe('whatever is edited, mistaken, moved, renamed, cut off or lost', () => {
  it('no release goes that is wanted, what is not wanted goes in the end, and then all is kept', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
        const world = new World();
        for (const each of turns) play(world, each);
        const last = turns.at(-1)!;
        const mended = entriesFor({ ...last, typo: undefined, twice: false });
        const steps = settle(world, mended);
        expect(steps.map(({ op }) => op)).toEqual(mended.map(() => 'keep'));
        world.reconcile();
        expect([...world.releases.keys()].sort()).toEqual(last.wishes.map(slotOf).map(normal).sort());
      }),
      { numRuns: 500 },
    );
  }, 120_000);
});

/** As the world writes it. */
function normal(slot: string): string {
  return JSON.stringify(JSON.parse(slot));
}
