import { Coverage, COUNTED, type Counted } from './story/coverage.js';
import { generate } from './story/generate.js';
import { play } from './story/play.js';

/** How many stories a part of the suite plays, and from which seed; `npm run test:long` sets them for more. */
const FIRST_SEED = Number(process.env['FAIRLEAD_COMBINATION_SEED'] ?? 1);
const COUNT = Number(process.env['FAIRLEAD_COMBINATION_COUNT'] ?? 50);

/** The result of the random stories of one part. */
export interface Told {
  readonly coverage: Coverage;
  /** One line for each story in which something is wrong: its seed, the invariant, and what happened. */
  readonly failures: readonly string[];
}

/** Plays the story of a seed. Returns the first finding or the error, or undefined if all invariants hold. */
async function tellStory(seed: number, coverage: Coverage): Promise<string | undefined> {
  try {
    const [finding] = (await play(generate(seed), { coverage })).findings;
    return finding === undefined ? undefined : `${finding.invariant}: ${finding.message}`;
  } catch (error: unknown) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Plays the stories of one part of the suite; the parts have different seeds. */
export async function tellStories(part: number): Promise<Told> {
  const coverage = new Coverage();
  const failures: string[] = [];
  const first = FIRST_SEED + part * COUNT;
  for (let seed = first; seed < first + COUNT; seed += 1) {
    const failure = await tellStory(seed, coverage);
    if (failure !== undefined) failures.push(`seed ${seed}: ${failure}`);
  }
  if (process.env['FAIRLEAD_COMBINATION_SHOW'] !== undefined) {
    console.info(COUNTED.map((what) => coverage.print(what)).join('\n'));
  }
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
};

/** Returns the kinds and names that a part should have met and did not. */
export function missingIn(coverage: Coverage): string[] {
  return Object.entries(LEAST).flatMap(([name, { kinds, names }]) => {
    const counts = coverage.of(name as Counted); // a key of the table
    const missing = names.filter((each) => !counts.has(each)).map((each) => `${name} ${each}`);
    return counts.size < kinds ? [...missing, `${kinds - counts.size} more kinds of ${name}`] : missing;
  });
}
