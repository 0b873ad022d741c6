import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { startPair, type Pair } from '../pair.js';
import type { Case } from './case.js';
import { allCases } from './cases.js';
import { startOwn } from './own-engine.js';
import { encryptedFiles } from './sops-cases.js';
import {
  beforeHandover,
  mayReturn,
  remove,
  returnTo,
  revisionOf,
  tell,
  type Handover,
  type Place,
  type Seen,
} from './story.js';

/**
 * The same repositories by Flux's kustomize-controller on one cluster and by the embedded engine on the other: objects,
 * who owns which of their fields, inventories and conditions must be equal after every step. Then the engines change
 * places: each goes on where the other stopped, without a write, and deletes what the other applied.
 */
const CASES = allCases(await encryptedFiles());
const ONLY = process.env['FAIRLEAD_TEST_CASE'];
const CHOSEN = CASES.filter(({ name }) => ONLY === undefined || ONLY.split(',').includes(name));
const PARALLEL = 8;
const WATCHED = ['gitrepositories', 'ocirepositories', 'buckets'].map((plural) => `source.toolkit.fluxcd.io_${plural}`);
const SUITE_LIMIT_MS = 1_200_000;

interface Both<T> {
  readonly ours: T;
  readonly theirs: T;
}

interface Outcome {
  readonly seen: Both<readonly Seen[]>;
  /** Absent if they differ. */
  readonly handover?: Both<Handover>;
  readonly returned?: Both<Seen> | undefined;
  readonly left?: Both<Seen>;
}

let pair: Pair;
const outcomes = new Map<string, Outcome | Error>();

function placesOf(subject: Case): Both<Place> {
  return {
    ours: { pair, side: pair.ours, subject, first: 'us' },
    theirs: { pair, side: pair.theirs, subject, first: 'flux' },
  };
}

async function onBoth<T>(
  places: Both<Place>,
  work: (place: Place, side: 'ours' | 'theirs') => Promise<T>,
): Promise<Both<T>> {
  const [ours, theirs] = await Promise.all([work(places.ours, 'ours'), work(places.theirs, 'theirs')]);
  return { ours, theirs };
}

async function tellOnBoth(subject: Case): Promise<Both<readonly Seen[]>> {
  const artifacts = await Promise.all(
    subject.steps.map(async ({ files }, index) =>
      files === undefined ? undefined : pair.publish(`${subject.name}-${index}`, revisionOf(index), files),
    ),
  );
  return onBoth(placesOf(subject), (place) => tell(place, artifacts));
}

async function returnOnBoth(subject: Case): Promise<Both<Seen>> {
  const { name, steps } = subject;
  const artifact = await pair.publish(`${name}-return`, revisionOf(steps.length), steps[0].files ?? {});
  return onBoth(placesOf(subject), (place) => returnTo(place, artifact));
}

/** Runs `work` for several cases at a time; what failed is told by the test of that name. */
async function forCases<T>(cases: readonly Case[], work: (subject: Case) => Promise<T>): Promise<Map<Case, T>> {
  const limit = pLimit(PARALLEL);
  const done = new Map<Case, T>();
  const one = async (subject: Case): Promise<void> => {
    try {
      done.set(subject, await work(subject));
    } catch (error: unknown) {
      outcomes.set(subject.name, error instanceof Error ? error : new Error(String(error)));
    }
  };
  await Promise.all(cases.map((subject) => limit(() => one(subject))));
  return done;
}

beforeAll(async () => {
  pair = await startPair({ controller: 'kustomize-controller', watched: WATCHED, startOwn });
  const seen = await forCases(CHOSEN, tellOnBoth);
  for (const [subject, told] of seen) outcomes.set(subject.name, { seen: told });
  const same = [...seen.keys()].filter(({ differs }) => differs === undefined);
  const before = await forCases(same, (subject) => onBoth(placesOf(subject), beforeHandover));
  await pair.swap();
  const handovers = await forCases([...before.keys()], (subject) =>
    onBoth(placesOf(subject), async (_place, side) => {
      const handOver = before.get(subject)?.[side];
      if (handOver === undefined) throw new Error(`${subject.name} was not prepared`);
      return handOver();
    }),
  );
  const returned = await forCases([...handovers.keys()].filter(mayReturn), returnOnBoth);
  for (const [subject, left] of await forCases([...handovers.keys()], (one) => onBoth(placesOf(one), remove))) {
    const [told, handover] = [seen.get(subject), handovers.get(subject)];
    const isKnown = told !== undefined && handover !== undefined && !(outcomes.get(subject.name) instanceof Error);
    if (isKnown) outcomes.set(subject.name, { seen: told, handover, returned: returned.get(subject), left });
  }
}, SUITE_LIMIT_MS);

afterAll(async () => {
  // Undefined if it could not be started.
  await (pair as Pair | undefined)?.close();
}, 60_000);

function outcomeOf(name: string): Outcome {
  const outcome = outcomes.get(name);
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error(`${name} was not told`);
  return outcome;
}

const SAME = CHOSEN.filter(({ differs }) => differs === undefined);
const DIFFERENT = CHOSEN.filter(({ differs }) => differs !== undefined);

describe.each(SAME)('$name', ({ name }) => {
  test('is by us as by Flux', () => {
    const { seen } = outcomeOf(name);
    expect(seen.ours).toEqual(seen.theirs);
  });

  test.each(['ours', 'theirs'] as const)('goes on where the other stopped, without a write: %s', (side) => {
    const { handover, seen } = outcomeOf(name);
    const last = seen[side].at(-1);
    expect(handover?.[side]).toEqual({ changed: [], writes: [], seen: { ...last, step: 'the other goes on' } });
  });

  test('is changed by the other as by itself', () => {
    const { returned } = outcomeOf(name);
    expect(returned?.ours).toEqual(returned?.theirs);
  });

  test('is deleted by the other as by itself', () => {
    const { left } = outcomeOf(name);
    expect(left).toBeDefined();
    expect(left?.ours).toEqual(left?.theirs);
  });
});

for (const { name, differs } of DIFFERENT) {
  test(`${name}: ${differs ?? ''}`, () => {
    const { seen } = outcomeOf(name);
    expect(seen.ours).not.toEqual(seen.theirs);
  });
}
