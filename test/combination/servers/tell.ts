import { generate } from '../story/generate.js';
import { withoutUnusedMembers } from '../story/shrink.js';
import type { Story } from '../story/steps.js';
import { MEMBERS, type Fleet } from './fleet.js';
import { playOnServers, type Outcome } from './play.js';

/** Shorter stories than those that only the world in memory plays: on real servers, each step takes seconds. */
const SIZE = { least: 4, most: 8 };

/** So many seeds for each story without one that can be played are a mistake. */
const MOST_NOT_PLAYED = 100;

/** How many stories are played, and which. */
interface Telling {
  readonly count: number;
  readonly firstSeed: number;
  /** How many are played side by side. */
  readonly lanes: number;
  /** Hears of each story that ended. */
  readonly onOutcome?: (line: string) => void;
}

/** The result of all stories. */
export interface Told {
  readonly played: number;
  /** Seeds whose story has more members than there are. */
  readonly notPlayed: number;
  /** Steps that real servers cannot do, or refused, by what was done instead. */
  readonly changes: ReadonlyMap<string, number>;
  /** A text for each story in which the worlds differ, or whose player failed. */
  readonly failures: readonly string[];
  /** Milliseconds of all stories. */
  readonly ms: number;
  /** Applications, children and runs that were compared, at the end of all stories. */
  readonly compared: number;
}

function shown({ number, apart, ms, steps, compared }: Outcome): string {
  const head = `seed ${number}: ${steps} steps in ${ms} ms, ${compared} lines`;
  if (apart === undefined) return head;
  const lines = apart.differences.map(
    ({ what, inMemory, real }) => `${what}\n    in memory ${inMemory ?? 'nothing'}\n    real      ${real ?? 'nothing'}`,
  );
  return [`${head}, apart after ${apart.after}`, ...lines].join('\n  ');
}

/** Counts what happens in all stories. */
class Tally {
  readonly changes = new Map<string, number>();
  readonly failures: string[] = [];
  played = 0;
  notPlayed = 0;
  ms = 0;
  compared = 0;

  add(outcome: Outcome): void {
    this.played += 1;
    this.ms += outcome.ms;
    this.compared += outcome.compared;
    if (outcome.apart !== undefined) this.failures.push(shown(outcome));
    for (const [what, count] of outcome.changes) this.#count(what, count);
    this.#count('refused by the API server', outcome.refused.length);
  }

  #count(what: string, count: number): void {
    this.changes.set(what, (this.changes.get(what) ?? 0) + count);
  }
}

/** Plays the stories of so many seeds, several at a time. */
export async function tellOnServers(fleet: Fleet, { count, firstSeed, lanes, onOutcome }: Telling): Promise<Told> {
  const tally = new Tally();
  let [seed, left] = [firstSeed - 1, count];
  const next = (): readonly [number, Story] | undefined => {
    while (left > 0) {
      seed += 1;
      const story = withoutUnusedMembers(generate(seed, SIZE));
      if (tally.notPlayed > MOST_NOT_PLAYED * count)
        throw new Error(`${tally.notPlayed} stories have more than ${MEMBERS} members: make stories that have fewer`);
      if (story.members.length > MEMBERS) tally.notPlayed += 1;
      else {
        left -= 1;
        return [seed, story];
      }
    }
    return undefined;
  };
  const lane = async (): Promise<void> => {
    for (let found = next(); found !== undefined; found = next()) {
      const [number, story] = found;
      try {
        const outcome = await playOnServers(fleet, number, story);
        tally.add(outcome);
        onOutcome?.(shown(outcome));
      } catch (error: unknown) {
        tally.failures.push(
          `seed ${number}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return tally;
}
