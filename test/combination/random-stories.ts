import { expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Finding } from './invariants/types.js';
import { Coverage, COUNTED, type Counted } from './story/coverage.js';
import { generate } from './story/generate.js';
import { play } from './story/play.js';
import { crashFinding } from './story/twin.js';

/** The files `random-N.test.ts`: each plays as many stories. */
const PARTS = 4;
/** How many stories the suite plays, from seed 1. */
const SUITE = 300;
/** How many stories all parts play, and from which seed; `npm run test:long` sets both for more. */
const STORIES = Number(process.env['FAIRLEAD_COMBINATION_STORIES'] ?? SUITE);
const FIRST_SEED = Number(process.env['FAIRLEAD_COMBINATION_SEED'] ?? 1);
const COUNT = Math.ceil(STORIES / PARTS);

/** Milliseconds that a part may take on a slow and busy machine. */
const LIMIT_MS = 600_000 + COUNT * 2_000;
/** A part that takes long prints its progress after so many stories. */
const PRINTED = 200;

/** The seeds of the suite whose stories break an invariant today. UPDATE_GOLDEN=1 records them again, one file at a time. */
const KNOWN_FILE = new URL('random-failures.json', import.meta.url);
const isSuite = FIRST_SEED === 1 && STORIES === SUITE;

/** By seed. */
type Known = Readonly<Record<string, { readonly invariant: string; readonly why: string }>>;

/** Returns nothing for other seeds than those of the suite. */
function readKnown(): Known {
  return isSuite ? (JSON.parse(readFileSync(KNOWN_FILE, 'utf8')) as Known) : {}; // as it is written below
}

/** The result of the random stories of one part. */
interface Told {
  readonly coverage: Coverage;
  /** One line for each story in which something is wrong: its seed, the invariant, and what happened. */
  readonly failures: readonly string[];
}

/** Each of so many stories is played without its crashes, too. */
const CRASHES_EVERY = isSuite ? 4 : 1;

/** Plays the story of a seed. Returns the first finding, also for an error, or undefined if all invariants hold. */
async function tellStory(seed: number, coverage: Coverage): Promise<Finding | undefined> {
  try {
    const story = generate(seed);
    const played = await play(story, { coverage });
    const [first] = played.findings;
    return first ?? (seed % CRASHES_EVERY === 0 ? await crashFinding(story, played) : undefined);
  } catch (error: unknown) {
    return { invariant: 'no-error', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** The findings about a story, apart from the one that is known. A known failure that is fixed has to be removed. */
function failureOf(seed: number, finding: Finding | undefined, known: string | undefined): string[] {
  if (finding?.invariant === known) return [];
  if (finding !== undefined) return [`seed ${seed}: ${finding.invariant}: ${finding.message}`];
  return [`seed ${seed} does not break ${known ?? ''} any more: remove it from random-failures.json`];
}

function record(first: number, found: ReadonlyMap<number, Finding>): void {
  const known = readKnown();
  const others = Object.entries(known).filter(([seed]) => Number(seed) < first || Number(seed) >= first + COUNT);
  const whyOf = (seed: number, { invariant, message }: Finding): string => {
    const before = known[seed];
    return before?.invariant === invariant ? before.why : message;
  };
  const own = [...found].map(([seed, finding]) => [
    String(seed),
    { invariant: finding.invariant, why: whyOf(seed, finding) },
  ]);
  const all = [...others, ...own];
  writeFileSync(KNOWN_FILE, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
}

/** Many stories may be stopped before their end: what failed is printed at once. */
function printProgress(seed: number, first: number, failures: readonly string[]): void {
  const [last] = failures.slice(-1);
  if (!isSuite && last?.startsWith(`seed ${seed}:`) === true) console.info(last);
  const told = seed - first + 1;
  if (COUNT <= PRINTED || told % PRINTED !== 0) return;
  console.info(`random stories ${first} to ${seed} of ${first + COUNT - 1}: ${failures.length} failed`);
}

/** Plays the stories of one part of the suite, from 1; the parts have different seeds. */
async function tellStories(part: number): Promise<Told> {
  const coverage = new Coverage();
  const failures: string[] = [];
  const found = new Map<number, Finding>();
  const known = readKnown();
  const first = FIRST_SEED + (part - 1) * COUNT;
  for (let seed = first; seed < first + COUNT; seed += 1) {
    const finding = await tellStory(seed, coverage);
    if (finding !== undefined) found.set(seed, finding);
    failures.push(...failureOf(seed, finding, known[seed]?.invariant));
    printProgress(seed, first, failures);
  }
  if (!isSuite || process.env['FAIRLEAD_COMBINATION_SHOW'] !== undefined) {
    console.info(COUNTED.map((what) => coverage.print(what)).join('\n'));
  }
  if (isSuite && process.env['UPDATE_GOLDEN'] === '1') record(first, found);
  return { coverage, failures };
}

/** Each part must meet so many kinds, and these names, or it proves too little. */
const LEAST: Readonly<Partial<Record<Counted, { readonly kinds: number; readonly names: readonly string[] }>>> = {
  step: { kinds: 28, names: ['create', 'edit', 'pin', 'restore', 'crash', 'stale', 'lose', 'rename', 'lead', 'plain'] },
  pair: { kinds: 200, names: [] },
  wait: { kinds: 6, names: ['Stage', 'Removal', 'Unreachable'] },
  phase: { kinds: 5, names: ['Complete', 'Halted', 'Paused'] },
  verdict: { kinds: 12, names: [] },
  action: { kinds: 4, names: ['install', 'upgrade', 'uninstall', 'failed'] },
  judged: { kinds: 2, names: ['plans-are-true', 'moves-are-told'] },
};

/** Returns the kinds and names that a part should have met and did not. */
function missingIn(coverage: Coverage): string[] {
  return Object.entries(LEAST).flatMap(([name, { kinds, names }]) => {
    const counts = coverage.of(name as Counted); // a key of the table
    const missing = names.filter((each) => !counts.has(each)).map((each) => `${name} ${each}`);
    return counts.size < kinds ? [...missing, `${kinds - counts.size} more kinds of ${name}`] : missing;
  });
}

/** The test of one part. */
export function testPart(part: number): void {
  it(
    'holds all invariants in random stories, and sees enough of everything',
    async () => {
      const { failures, coverage } = await tellStories(part);
      expect(failures).toEqual([]);
      expect(missingIn(coverage)).toEqual([]);
    },
    LIMIT_MS,
  );
}
