const PERCENTAGE = /^(100|[1-9]?[0-9])%$/;

/** A number such as 5, or a percentage such as `20%`. */
export type CountOrPercentage = number | string;

/** True for a whole number that is not negative, and for a percentage up to 100%. */
export function isCountOrPercentage(value: CountOrPercentage): boolean {
  return typeof value === 'number' ? Number.isInteger(value) && value >= 0 : PERCENTAGE.test(value);
}

/** What a number, or a percentage of `total`, comes to, rounded down. Anything else comes to nothing. Never throws. */
export function countOf(value: CountOrPercentage, total: number): number {
  if (!isCountOrPercentage(value)) return 0;
  return typeof value === 'number' ? value : Math.floor((total * Number.parseInt(value, 10)) / 100);
}
