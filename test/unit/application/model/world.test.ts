import { expect, it } from '@jest/globals';
import { isLeftover, isOfEntry, type World } from '#controllers/application/model/children/world.js';
import { application, applied, deploy, observed, seenWorld, work } from './builders.js';
import { inventory, own, selecting } from './clusters/builders.js';
import { before, pinnedTo, PIN } from './revisions/builders.js';

const CLUSTERS = inventory([own('eu', { env: 'prod' })]);
const ENTRIES = [deploy('prod', 'eu'), selecting({ env: 'prod' })];

/** A world with something of everything. */
function whole(): World {
  const app = application(ENTRIES);
  const children = applied([], work(application([...ENTRIES, deploy('gone')])).steps);
  return seenWorld({
    ...observed(app, children),
    clusters: CLUSTERS,
    revisions: pinnedTo(app, { [PIN]: '1' }, { 1: before(app, [deploy('old', 'eu')]) }),
    targets: { childrenAt: () => children, provenOf: () => 'seen', claimantOf: () => app },
    otherOwnerOf: () => 'somebody',
    missingOf: () => 'missing',
    chartOf: (child) => child,
    sourceOf: (child) => child,
    unmatchedForMs: () => 1,
  });
}

/** Paths to functions in a value, including those in maps and sets. */
function functionsIn(value: unknown, path: string, seen = new Set<unknown>()): string[] {
  if (typeof value === 'function') return [path];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  const parts = value instanceof Map || value instanceof Set ? [...value] : Object.values(value);
  return parts.flatMap((each, index) => functionsIn(each, `${path}.${index}`, seen));
}

it('a world is frozen and has no functions, so that it can be printed and compared', () => {
  const world = whole();
  expect(Object.isFrozen(world)).toBe(true);
  expect(functionsIn(world, 'world')).toEqual([]);
  expect(world).toEqual(whole());
});

it('a destination is one of an entry, or a child that no entry matches', () => {
  const { destinations } = whole();
  const kinds = destinations.map((each) => [isOfEntry(each), isLeftover(each)]);
  expect(kinds).toContainEqual([true, false]);
  expect(kinds).toContainEqual([false, true]);
  expect(kinds.every(([one, other]) => one !== other)).toBe(true);
});
