/** Milliseconds of CPU that a call costs: unlike the time that it takes, about the same on a busy machine. */
export function cpuMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
