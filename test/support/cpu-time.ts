/** What the fixed piece of work costs on the machine that the limits of the tests were chosen on. */
const USUAL_MS = 30;

/**
 * Milliseconds of CPU that a call costs on the machine that the limits of the tests were chosen on. A slow or a busy
 * machine (two threads of a core share its caches) is not counted: a fixed piece of work tells how slow it is just now.
 */
export function cpuMsOf(run: () => void): number {
  const slowness = new Slowness();
  const cost = spentBy(run);
  return cost / slowness.now();
}

/** The same of a call that ends later, with all that other threads of this process do meanwhile. */
export async function cpuMsDuring(run: () => Promise<unknown>): Promise<number> {
  const slowness = new Slowness();
  const before = process.cpuUsage();
  await run();
  const cost = msSince(before);
  return cost / slowness.now();
}

/** The speed of this machine for a fixed piece of work. 1 is the machine for which the tests' limits were chosen. */
export function machineSpeed(): number {
  return 1 / Math.min(ratio(), ratio(), ratio());
}

/** How many times longer than usual the fixed piece of work takes: before and after, whichever is more, at least 1. */
class Slowness {
  readonly #before = ratio();

  now(): number {
    return Math.max(1, this.#before, ratio());
  }
}

function ratio(): number {
  fixedWork(); // Compiled by then.
  return spentBy(() => Array.from({ length: 3 }, fixedWork)) / USUAL_MS;
}

function fixedWork(): void {
  const items = Array.from({ length: 10_000 }, (_, at) => ({ name: `item-${at}`, labels: { at: String(at) } }));
  const read = JSON.parse(JSON.stringify(items)) as typeof items;
  read.sort((a, b) => (a.name < b.name ? 1 : -1));
}

function spentBy(run: () => void): number {
  const before = process.cpuUsage();
  run();
  return msSince(before);
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
