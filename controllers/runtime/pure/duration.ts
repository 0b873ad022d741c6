const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** The form that the CRDs accept: Flux's subset of Go durations. */
export const DURATION_PATTERN = '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$';

/** Milliseconds of a Go duration such as `1h30m` or `1.5s`; undefined when the text is not one. Never throws. */
export function parseDuration(text: string): number | undefined {
  if (!new RegExp(DURATION_PATTERN).test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total;
}

/** Milliseconds of an optional field, or `fallbackMs` when it is absent or not a duration (the CRD refuses those). */
export function durationOr(text: string | undefined, fallbackMs: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? fallbackMs;
}
