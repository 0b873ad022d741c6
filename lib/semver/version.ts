/** A version as Helm and Flux read it: `v` and missing parts are allowed. Build metadata never takes part in order. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Without the dash; empty for a release. */
  readonly prerelease: string;
  /** Without the plus; empty when there is none. */
  readonly metadata: string;
}

const IDENTIFIERS = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
const VERSION = new RegExp(String.raw`^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-(${IDENTIFIERS}))?(?:\+(${IDENTIFIERS}))?$`);
const MAX_LENGTH = 256;
const MAX_PART = 2n ** 64n - 1n;
const DIGITS = /^\d+$/;
const LEADING_ZERO = /^0\d+$/;

/** The version behind a text, or undefined when it is none. Never throws. Rules: Masterminds/semver, NewVersion. */
export function parseVersion(text: string): Version | undefined {
  const match = text.length > MAX_LENGTH ? null : VERSION.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  const parts = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  if (parts.some((part) => part > MAX_PART)) return undefined;
  if (prerelease.split('.').some((identifier) => LEADING_ZERO.test(identifier))) return undefined;
  return { major: parts[0], minor: parts[1], patch: parts[2], prerelease, metadata };
}

function order<T extends bigint | string>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function compareIdentifiers(left: string | undefined, right: string | undefined): number {
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  const [leftIsNumber, rightIsNumber] = [DIGITS.test(left), DIGITS.test(right)];
  if (leftIsNumber && rightIsNumber) return order(BigInt(left), BigInt(right));
  if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
  return order(left, right);
}

/** Order of two prereleases, without their dash; none at all (a release) comes last. */
export function comparePrereleases(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '' || right === '') return left === '' ? 1 : -1;
  const [lefts, rights] = [left.split('.'), right.split('.')];
  for (let at = 0; at < Math.max(lefts.length, rights.length); at += 1) {
    const result = compareIdentifiers(lefts[at], rights[at]);
    if (result !== 0) return result;
  }
  return 0;
}

/** Negative when `left` is older, 0 when they rank the same, positive when it is newer (semver.org §11). */
export function compareVersions(left: Version, right: Version): number {
  return (
    order(left.major, right.major) ||
    order(left.minor, right.minor) ||
    order(left.patch, right.patch) ||
    comparePrereleases(left.prerelease, right.prerelease)
  );
}
