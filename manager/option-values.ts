import { parseDuration } from '#lib/duration.js';

/** What the values of flags mean; each function gives undefined for a text that is not valid. */

export const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** More would only use memory: passes take turns at one processor and at the API servers. */
export const MOST_PASSES = 100;

export interface Address {
  readonly host: string;
  readonly port: number;
}

export function oneOf<const Word extends string>(allowed: readonly Word[]): (text: string) => Word | undefined {
  return (text) => allowed.find((word) => word === text);
}

export function passes(text: string): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= MOST_PASSES ? value : undefined;
}

/** At most an hour: a timer of more than 24 days would run out at once. */
export function durationFrom(leastMs: number): (text: string) => number | undefined {
  return (text) => {
    const value = parseDuration(text);
    return value !== undefined && value >= leastMs && value <= HOUR_MS ? value : undefined;
  };
}

export function wholeSeconds(text: string): number | undefined {
  const value = durationFrom(SECOND_MS)(text);
  return value !== undefined && value % SECOND_MS === 0 ? value : undefined;
}

/** `host:port`, an IPv6 address in brackets; without a host: all addresses. */
export function addressOf(text: string): Address | undefined {
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  if (at < 0 || at === text.length - 1 || !Number.isInteger(port) || port < 0 || port > 65_535) return undefined;
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port };
}

/** Where this machine reaches it: an IPv6 address in brackets, and loopback for an empty host, which is every one. */
export function urlOf({ host, port }: Address): string {
  const reached = host === '' ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** A name as Kubernetes takes it for namespaces and ServiceAccounts. */
export function objectName(text: string): string | undefined {
  return /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text) ? text : undefined;
}

const BYTES = new Map([
  ['', 1],
  ['Ki', 1024],
  ['Mi', 1024 ** 2],
  ['Gi', 1024 ** 3],
  ['Ti', 1024 ** 4],
]);

/** Bytes, written as Kubernetes writes a quantity with a binary unit. */
export function bytes(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,8})(Ki|Mi|Gi|Ti)?$/.exec(text) ?? [];
  return digits === '' ? undefined : Number(digits) * (BYTES.get(unit) ?? 1);
}

/** Milliseconds. */
interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Before the deadline two renewals must fit, and after it there must be time for what was sent to land. */
export function electionProblem(times: ElectionTimes): string | undefined {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  if (renewDeadlineMs >= leaseDurationMs) {
    return '--leader-election-renew-deadline: must be shorter than --leader-election-lease-duration';
  }
  return retryPeriodMs * 2 < renewDeadlineMs
    ? undefined
    : '--leader-election-retry-period: must be shorter than half of --leader-election-renew-deadline';
}
