/** The least of some waits in milliseconds; undefined if there are none. */
export function soonest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
