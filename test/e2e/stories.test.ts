import { expect, it } from '@jest/globals';
import { startFleet } from '../combination/servers/fleet.js';
import { tellOnServers, type Told } from '../combination/servers/tell.js';

/** How many stories are played, from which seed on, and how many side by side. */
const COUNT = Number(process.env['FAIRLEAD_SERVER_STORIES'] ?? 200);
const FIRST_SEED = Number(process.env['FAIRLEAD_SERVER_SEED'] ?? 1);
const LANES = 4;
/** Far more than the servers take to start, and than a story takes, on a busy machine. */
const START_MS = 1_800_000;
const STORY_MS = 300_000;

async function tell(lines: string[]): Promise<Told> {
  const fleet = await startFleet();
  try {
    const onOutcome = (line: string): void => {
      lines.push(line);
      process.stderr.write(`${line}\n`);
    };
    return await tellOnServers(fleet, { count: COUNT, firstSeed: FIRST_SEED, lanes: LANES, onOutcome });
  } finally {
    await fleet.stop();
  }
}

function summary({ played, notPlayed, ms, compared, changes }: Told): string[] {
  const seconds = Math.round(ms / Math.max(played, 1) / 1_000);
  return [
    `${played} stories, ${seconds} s each; ${notPlayed} seeds not played: too many members; ${compared} lines compared`,
    ...[...changes].map(([what, count]) => `${what}: ${count}`),
  ];
}

it(
  'plays random stories on real servers as in memory',
  async () => {
    const lines: string[] = [];
    const told = await tell(lines);
    console.info([...summary(told), ...lines].join('\n'));
    expect(told.failures.join('\n\n')).toBe('');
    expect(told.played).toBe(COUNT);
    expect(told.compared).toBeGreaterThan(COUNT);
  },
  START_MS + COUNT * STORY_MS,
);
