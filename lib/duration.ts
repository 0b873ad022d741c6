/** The least of some waits in milliseconds; undefined if there are none. */
export function soonest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/gy;

/** Milliseconds by which a sum of fractions may miss the whole number that it is. */
const ROUNDING = 1e-6;

/**
 * Milliseconds of a Go duration such as `1h30m` or `1.5s`; undefined for any other text. Accepts what the pattern of
 * the CRDs accepts, Flux's subset of Go durations. Never throws.
 */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(PART)];
  if (text === '' || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((total, [, amount, unit]) => total + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0);
}

/** Milliseconds as Go prints a duration: `691ms`, `32.702s`, `1m0.5s`, `1h0m0s`. Less than one is `0s`. */
export function printDuration(ms: number): string {
  const whole = Math.max(0, Math.floor(ms));
  if (whole < 1_000) return whole === 0 ? '0s' : `${whole}ms`;
  const [hours, minutes, seconds] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60, whole % 60_000];
  const parts = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : '';
  return `${parts}${seconds / 1_000}s`;
}

/** A Go duration as Go itself prints it, `1m` as `1m0s`; unchanged when it is none, or finer than milliseconds. */
export function normalDuration(text: string): string {
  const ms = parseDuration(text);
  if (ms === undefined) return text;
  const whole = Math.round(ms);
  return Math.abs(ms - whole) < ROUNDING ? printDuration(whole) : text;
}

/** Milliseconds of an optional field, or `fallbackMs` when it is absent or not a duration (the CRD refuses those). */
export function durationOr(text: string | undefined, fallbackMs: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? fallbackMs;
}
