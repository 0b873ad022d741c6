import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Application } from '#api/v1alpha1/application.js';
import type { Allowed } from '#console/server/access.js';
import { applicationQueryOf, sortedBy } from '#console/shared/application-query.js';
import { matching } from '#console/shared/page-query.js';
import { Ordered } from '#console/server/ordered.js';
import type { Change } from '#runtime/controller.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

const STATES = [RUNNING, STALLED, '{}'];
const SORTS = ['name', 'state', 'createdAt'];
const FILTERS = [{}, { search: 'a' }, { fieldSelector: 'state=Stalled' }, { fieldSelector: 'state!=Stalled' }];

const query = fc
  .record({ sort: fc.constantFrom(...SORTS), filter: fc.constantFrom(...FILTERS) })
  .map(({ sort, filter }) => applicationQueryOf({ sort, ...filter }));
const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'ab'),
  namespace: fc.constantFrom('shop', 'bar'),
  within: fc.constantFrom(undefined, 'shop', 'bar'),
  state: fc.nat(3),
  query,
  afterMs: fc.constantFrom(0, 0, 40_000),
});

/** Applications that come, change and go, and who hears of it. */
class World {
  readonly #all = new Map<string, Application>();
  tell: (change: Change<Application>) => void = () => undefined;
  lists = 0;

  readonly cache = {
    list: (): Application[] => {
      this.lists += 1;
      return this.all();
    },
    onChange: (handler: (change: Change<Application>) => void): void => {
      this.tell = handler;
    },
  };

  all(): Application[] {
    return [...this.#all.values()];
  }

  /** Undefined: it goes. */
  set(name: string, status: string | undefined, namespace = 'shop'): void {
    const key = `${namespace}/${name}`;
    const previous = this.#all.get(key);
    if (status === undefined) {
      this.#all.delete(key);
      if (previous !== undefined) this.tell({ type: 'deleted', object: previous, previous });
      return;
    }
    const made = application(name, status);
    const object = { ...made, metadata: { ...made.metadata, namespace } };
    this.#all.set(key, object);
    this.tell(previous === undefined ? { type: 'added', object } : { type: 'updated', object, previous });
  }
}

function only(namespace: string): Allowed {
  return { namespaces: new Set([namespace]), key: namespace };
}

test('a list is always what is wanted of what there is, whatever comes, changes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom(0, 3), (steps, short) => {
      const world = new World();
      let nowMs = 0;
      const ordered = new Ordered(world.cache, { now: () => nowMs, short });
      for (const { name, namespace, within, state, query: asked, afterMs } of steps) {
        nowMs += afterMs;
        world.set(name, STATES[state], namespace);
        const there = world.all().filter(({ metadata }) => within === undefined || metadata.namespace === within);
        expect(ordered.wanted(asked, within === undefined ? undefined : only(within))).toEqual(
          matching(sortedBy(there, asked.sort), asked),
        );
      }
    }),
  );
});

test('a list is not made again for a change, and is forgotten once nobody asks for it', () => {
  const world = new World();
  let nowMs = 0;
  const ordered = new Ordered(world.cache, { now: () => nowMs, short: 0 });
  const asked = applicationQueryOf({ fieldSelector: 'state=Stalled' });
  for (const name of ['b', 'a', 'c']) {
    world.set(name, STALLED);
    ordered.wanted(asked);
  }
  world.set('b', RUNNING);
  expect(ordered.wanted(asked).map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
  expect(world.lists).toBe(1);
  nowMs += 70_000;
  world.set('b', STALLED);
  expect(ordered.wanted(asked).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  expect(world.lists).toBe(2);
});

test('as many lists are kept as there may be', () => {
  const world = new World();
  world.set('a', RUNNING);
  const ordered = new Ordered(world.cache, { short: 0 });
  const tested: number[] = [];
  const wanted = (filter: number): void => {
    const tests = [(): boolean => tested.push(filter) > 0];
    ordered.wanted({ sort: 'name', filter: String(filter), tests });
  };
  for (let filter = 1; filter <= 100; filter += 1) wanted(filter);
  tested.length = 0;
  world.set('b', RUNNING);
  expect(tested).toHaveLength(32);
  wanted(1);
  expect(tested.slice(32)).toEqual([1, 1]);
});

test('those of some namespaces are looked for once among all of them', () => {
  const world = new World();
  const ordered = new Ordered(world.cache);
  for (const namespace of ['shop', 'bar']) world.set('a', RUNNING, namespace);
  const asked = applicationQueryOf({});
  const [first, again] = [0, 1].map(() => ordered.wanted(asked, only('bar')));
  expect(again).toBe(first);
  world.set('b', RUNNING, 'bar');
  world.set('b', RUNNING, 'shop');
  expect(ordered.wanted(asked, only('bar')).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(world.lists).toBe(1);
});
