import { comparePrereleases, compareVersions, parseVersion, type Version } from './version.js';

/** Which parts of a comparator's version were left open: `1.2.x` leaves the patch, `1` the minor, `*` everything. */
type Open = 'nothing' | 'patch' | 'minor' | 'everything';

interface Comparator {
  readonly accepts: (version: Version, wanted: Wanted) => boolean;
  readonly wanted: Wanted;
}

interface Wanted {
  /** Open parts are 0. */
  readonly version: Version;
  readonly open: Open;
}

interface Alternative {
  readonly comparators: readonly Comparator[];
  /** A range that names a prerelease accepts prereleases; no other does. */
  readonly acceptsPrereleases: boolean;
}

/** A parsed range: one of the alternatives must accept a version, all comparators of an alternative have to. */
export type VersionRange = readonly Alternative[];

const MAX_LENGTH = 512;
const MAX_ALTERNATIVES = 32;
const PART = '[0-9|xX*]+';
const IDENTIFIERS = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
const OPEN_VERSION = String.raw`v?(${PART})(?:\.(${PART}))?(?:\.(${PART}))?(-${IDENTIFIERS})?(?:\+${IDENTIFIERS})?`;
const HYPHEN_RANGE = new RegExp(String.raw`\s*(${OPEN_VERSION})\s+-\s+(${OPEN_VERSION})\s*`, 'g');
const COMPARATOR = new RegExp(String.raw`(!=|>=|=>|<=|=<|~>|=|>|<|~|\^|)\s*(${OPEN_VERSION})`, 'y');
const SEPARATOR = /\s*,\s*|\s+/y;

function sameMajor(version: Version, wanted: Version): boolean {
  return version.major === wanted.major;
}

function sameMinor(version: Version, wanted: Version): boolean {
  return sameMajor(version, wanted) && version.minor === wanted.minor;
}

function isZero({ major, minor, patch }: Version): boolean {
  return major === 0n && minor === 0n && patch === 0n;
}

function isDifferent(version: Version, { version: wanted, open }: Wanted): boolean {
  if (open === 'minor') return !sameMajor(version, wanted);
  if (open !== 'patch') return compareVersions(version, wanted) !== 0;
  return !sameMinor(version, wanted) || comparePrereleases(version.prerelease, wanted.prerelease) !== 0;
}

function isAbove(version: Version, { version: wanted, open }: Wanted): boolean {
  const withinOpen =
    (open === 'minor' && sameMajor(version, wanted)) || (open === 'patch' && sameMinor(version, wanted));
  return !withinOpen && compareVersions(version, wanted) > 0;
}

function isBelow(version: Version, { version: wanted }: Wanted): boolean {
  return compareVersions(version, wanted) < 0;
}

function isAtLeast(version: Version, wanted: Wanted): boolean {
  return !isBelow(version, wanted);
}

function isAtMost(version: Version, { version: wanted, open }: Wanted): boolean {
  if (open === 'nothing') return compareVersions(version, wanted) <= 0;
  if (!sameMajor(version, wanted)) return version.major < wanted.major;
  return open === 'minor' || version.minor <= wanted.minor;
}

function isAboutSame(version: Version, { version: wanted, open }: Wanted): boolean {
  if (compareVersions(version, wanted) < 0) return false;
  if (isZero(wanted) && (open === 'nothing' || open === 'everything')) return true;
  return open === 'minor' ? sameMajor(version, wanted) : sameMinor(version, wanted);
}

function isSame(version: Version, wanted: Wanted): boolean {
  return wanted.open === 'nothing' ? compareVersions(version, wanted.version) === 0 : isAboutSame(version, wanted);
}

function isCompatible(version: Version, { version: wanted, open }: Wanted): boolean {
  if (compareVersions(version, wanted) < 0 || !sameMajor(version, wanted)) return false;
  if (wanted.major > 0n || open === 'minor') return true;
  if (version.minor !== wanted.minor) return false;
  return wanted.minor > 0n || open === 'patch' || version.patch === wanted.patch;
}

const OPERATORS: Readonly<Record<string, Comparator['accepts']>> = {
  '': isSame,
  '=': isSame,
  '!=': isDifferent,
  '>': isAbove,
  '<': isBelow,
  '>=': isAtLeast,
  '=>': isAtLeast,
  '<=': isAtMost,
  '=<': isAtMost,
  '~': isAboutSame,
  '~>': isAboutSame,
  '^': isCompatible,
};

function isOpen(part: string | undefined): boolean {
  return part === undefined || part === 'x' || part === 'X' || part === '*';
}

function closedText(text: string, open: Open, [major, minor, prerelease]: readonly string[]): string {
  const tail = prerelease ?? '';
  if (open === 'everything') return `0.0.0${tail}`;
  if (open === 'minor') return `${major ?? ''}.0.0${tail}`;
  return open === 'patch' ? `${major ?? ''}.${minor ?? ''}.0${tail}` : text;
}

function openOf(major: string | undefined, minor: string | undefined, patch: string | undefined): Open {
  if (isOpen(major)) return 'everything';
  if (isOpen(minor)) return 'minor';
  return isOpen(patch) ? 'patch' : 'nothing';
}

function toComparator([, operator = '', text = '', ...parts]: RegExpExecArray): Comparator | undefined {
  const [major = '', minor = '', patch, prerelease = ''] = parts;
  const open = openOf(major, parts[1], patch);
  const version = parseVersion(closedText(text, open, [major, minor, prerelease]));
  const accepts = OPERATORS[operator];
  return version === undefined || accepts === undefined ? undefined : { accepts, wanted: { version, open } };
}

/** Reads by hand what one regular expression would only match in exponential time. */
function parseAlternative(text: string): Alternative | undefined {
  const comparators: Comparator[] = [];
  for (let at = 0; ;) {
    COMPARATOR.lastIndex = at;
    const match = COMPARATOR.exec(text);
    const comparator = match === null ? undefined : toComparator(match);
    if (comparator === undefined) return undefined;
    comparators.push(comparator);
    at = COMPARATOR.lastIndex;
    if (at === text.length) break;
    SEPARATOR.lastIndex = at;
    if (!SEPARATOR.test(text)) return undefined;
    at = SEPARATOR.lastIndex;
  }
  return { comparators, acceptsPrereleases: comparators.some(({ wanted }) => wanted.version.prerelease !== '') };
}

/**
 * A range as Helm and Flux read it (Masterminds/semver, NewConstraint): `~ ^ = != > >= < <=`, wildcards `x X *`, hyphen
 * ranges, comma or space for and, `||` for or. Empty text means any release. Undefined when it is not a range.
 */
export function parseVersionRange(text: string): VersionRange | undefined {
  if (text === '') return parseVersionRange('*');
  if (text.length > MAX_LENGTH) return undefined;
  const plain = text.replace(
    HYPHEN_RANGE,
    (_match, low: string, ...rest: string[]) => `>= ${low}, <= ${rest[4] ?? ''} `,
  );
  const alternatives = plain.split('||').map((part) => parseAlternative(part.trim()));
  if (alternatives.length > MAX_ALTERNATIVES) return undefined;
  const valid = alternatives.filter((alternative) => alternative !== undefined);
  return valid.length === alternatives.length ? valid : undefined;
}

/** True when `text` is a version or a range as Helm and Flux read it; the empty text is. */
export function isVersionRange(text: string): boolean {
  return parseVersionRange(text) !== undefined;
}

/** True when `version` lies in `range`. */
export function isInRange(version: Version, range: VersionRange): boolean {
  return range.some(
    ({ comparators, acceptsPrereleases }) =>
      (acceptsPrereleases || version.prerelease === '') &&
      comparators.every(({ accepts, wanted }) => accepts(version, wanted)),
  );
}

/**
 * The newest of `versions` in `range`: several when they differ in build metadata alone, in the order given. Texts that
 * are no version are passed over.
 */
export function latestMatching(versions: readonly string[], range: VersionRange): string[] {
  let latest: { texts: string[]; version: Version } | undefined;
  for (const text of versions) {
    const version = parseVersion(text);
    if (version === undefined || !isInRange(version, range)) continue;
    const order = latest === undefined ? 1 : compareVersions(version, latest.version);
    if (order > 0) latest = { texts: [text], version };
    else if (order === 0) latest?.texts.push(text);
  }
  return latest?.texts ?? [];
}
