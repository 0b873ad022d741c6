/** Milliseconds of CPU that a call costs: unlike the time that it takes, about the same on a busy machine. */
export function cpuMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  return msSince(before);
}

/** The same of a call that ends later, with all that other threads of this process do meanwhile. */
export async function cpuMsDuring(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return msSince(before);
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
