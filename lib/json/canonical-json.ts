import { printJson, RawNumber } from './lossless-json.js';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof RawNumber) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}

/**
 * JSON whose keys are sorted at every level: equal values give equal text. Absent and undefined fields are the same.
 */
export function canonicalJson(value: unknown): string {
  return printJson(sorted(value));
}
