/** A map in a map in a map, so many of them, around a number that takes the long way through our parser. */
export function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = { a: 12_345_678_901_234_567_000 };
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}
