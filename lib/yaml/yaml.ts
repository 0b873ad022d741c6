import {
  boolYaml11Tag,
  constructFromEvents,
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  dump,
  DUMP_SCHEMA,
  floatYaml11Tag,
  intYaml11Tag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  YAMLException,
} from 'js-yaml';
import { RawNumber } from '../json/lossless-json.js';
import { refuseExcessiveAliases } from './yaml-aliases.js';
import { readEvents } from './yaml-breaks.js';

const BOOLEANS = new Map(
  [
    { value: true, words: ['y', 'yes', 'true', 'on'] },
    { value: false, words: ['n', 'no', 'false', 'off'] },
  ].flatMap(({ value, words }) =>
    words
      .flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)])
      .map((spelling) => [spelling, value] as const),
  ),
);
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const BETWEEN_DIGITS = /(?<=\d)_(?=\d)/g;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 64n - 1n;
const LARGEST_KEY = 2n ** 63n - 1n;
const NUMBER_STARTS = '-+.0123456789'.split('');

/** Reading decimal digits takes time quadratic in their count. No 64 bits have more. */
const MOST_DECIMALS = 20;

type Resolved = number | RawNumber | typeof NOT_RESOLVED;

function magnitude(digits: string): bigint {
  // Go reads a leading zero as octal, as YAML 1.1 did: `defaultMode: 0644` is 420.
  return BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
}

/** 64 bits as Go has them; more than a double holds is kept as text. */
function resolveInteger(source: string): Resolved {
  const match = INTEGER.exec(source.replaceAll('_', ''));
  if (match === null || source.startsWith('_')) return NOT_RESOLVED;
  const [, sign, digits = ''] = match;
  if (digits.length > MOST_DECIMALS && !digits.startsWith('0')) return NOT_RESOLVED;
  const value = sign === '-' ? -magnitude(digits) : magnitude(digits);
  if (value < SMALLEST || value > LARGEST) return NOT_RESOLVED;
  return String(Number(value)) === String(value) ? Number(value) : new RawNumber(String(value));
}

function resolveFloat(source: string): Resolved {
  if (NOT_FINITE.test(source)) throw new SyntaxError(`${source} has no form in JSON: quote it to mean a string`);
  // Of what starts with a dot, Go takes underscores only between two digits.
  const plain = source.replaceAll(source.startsWith('.') ? BETWEEN_DIGITS : '_', '');
  if (!FLOAT.test(plain)) return NOT_RESOLVED;
  const value = Number(plain);
  return Number.isFinite(value) ? value : NOT_RESOLVED;
}

const NULLS: readonly string[] = ['', '~', 'null', 'Null', 'NULL'];

/** What a reader of YAML makes of a scalar without quotes. */
export type PlainType = 'null' | 'boolean' | 'integer' | 'number' | 'string';

/** What parseYaml makes of a scalar without quotes, tag and comment. Never throws. */
export function plainType(source: string): PlainType {
  if (NULLS.includes(source)) return 'null';
  if (BOOLEANS.has(source)) return 'boolean';
  if (NOT_FINITE.test(source)) return 'number';
  if (resolveInteger(source) !== NOT_RESOLVED) return 'integer';
  const value = resolveFloat(source);
  if (value === NOT_RESOLVED) return 'string';
  return Number.isInteger(value) ? 'integer' : 'number';
}

function isInteger(value: unknown): boolean {
  return Number.isInteger(value) && !Object.is(value, -0) && !String(value).includes('e');
}

const bool = defineScalarTag('tag:yaml.org,2002:bool', {
  ...boolYaml11Tag,
  resolve: (source) => BOOLEANS.get(source) ?? NOT_RESOLVED,
});
const int = defineScalarTag<number | RawNumber>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve: resolveInteger,
  identify: (value: unknown) => value instanceof RawNumber || isInteger(value),
  represent: String,
});
const float = defineScalarTag<number | RawNumber>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve: resolveFloat,
  identify: (value: unknown) => typeof value === 'number' && !isInteger(value),
  represent: (value: unknown) => (Object.is(value, -0) ? '-0.0' : String(value)),
});

/** Go's int64 is what a key may be at most. */
function isKey(key: unknown): boolean {
  if (key instanceof RawNumber) return /^-?\d+$/.test(key.text) && BigInt(key.text) <= LARGEST_KEY;
  return key !== null && typeof key !== 'object';
}

const map = defineMappingTag<Record<string, unknown>>('tag:yaml.org,2002:map', {
  ...mapTag,
  addPair: (container, key, value) =>
    isKey(key) ? mapTag.addPair(container, String(key), value) : 'null, a list, a map or a huge number as a key',
  has: (container, key) => isKey(key) && mapTag.has(container, String(key)),
});

const READ = CORE_SCHEMA.withTags(bool, int, float, map, mergeTag);

/** What we print is quoted so that readers of YAML 1.1, 1.2 and Go agree on it. */
const PRINT = DUMP_SCHEMA.withTags(
  bool,
  {
    ...int,
    resolve: (source, ...rest) => firstOf(int.resolve(source, ...rest), intYaml11Tag.resolve(source, ...rest)),
  },
  {
    ...float,
    resolve: (source, ...rest) =>
      NOT_FINITE.test(source)
        ? Number.NaN
        : firstOf(float.resolve(source, ...rest), floatYaml11Tag.resolve(source, ...rest)),
  },
);

function firstOf(own: Resolved, other: Resolved): Resolved {
  return own === NOT_RESOLVED ? other : own;
}

/** Why a text is no YAML. The message may quote a word of it, such as an alias; the place quotes nothing. */
export class YamlError extends SyntaxError {
  override readonly name = 'YamlError';
  /** `line 1, column 2`. */
  readonly place: string;
  /** Both count from 1. */
  readonly position: { readonly line: number; readonly column: number };

  constructor(position: YamlError['position'], reason: string) {
    const place = `line ${position.line}, column ${position.column}`;
    super(`${place}: ${reason}`);
    this.place = place;
    this.position = position;
  }
}

/** The library's message quotes lines of the text, which may be a Secret: what is wrong and where is enough. */
function withoutSource(error: unknown): unknown {
  if (!(error instanceof YAMLException)) return error;
  const { reason, mark } = error;
  return mark === undefined
    ? new SyntaxError(reason)
    : new YamlError({ line: mark.line + 1, column: mark.column + 1 }, reason);
}

/**
 * All documents of a YAML text, read as helm and kubectl read them (Go's dialect: `yes`, `on` and `y` are true, 0644
 * and 0o644 are 420, 1_000 is 1000, dates and 12:30:45 are strings, merge keys apply, of a key that is there twice the
 * last one counts). Empty documents are null. Integers beyond 2^53 become RawNumber. Throws a SyntaxError on bad
 * YAML, `.inf` or `.nan`, mostly a YamlError, which quotes a word of the text at most; an AliasError on aliases in excess.
 */
export function parseYamlDocuments(text: string): unknown[] {
  try {
    const { events, source } = readEvents(text);
    refuseExcessiveAliases(events, source);
    // Merges are aliases, and counted as such.
    return constructFromEvents(events, { source, schema: READ, json: true, maxTotalMergeKeys: -1 });
  } catch (error: unknown) {
    throw withoutSource(error);
  }
}

/** The first document of a YAML text, as Go's reader takes it; null for an empty text. Otherwise parseYamlDocuments. */
export function parseYaml(text: string): unknown {
  return parseYamlDocuments(text)[0] ?? null;
}

/** As `parseYaml`, but what is wrong with the text is a value, too: the end of a sentence that names the text. */
export function readYaml(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseYaml(text) };
  } catch (error: unknown) {
    return { problem: `is not valid YAML: ${error instanceof Error ? error.message : ''}` };
  }
}

/** Block YAML that parseYaml, Go and readers of YAML 1.2 read alike; ends with a line break. No anchors, no folding. */
export function printYaml(value: unknown): string {
  return dump(value, { schema: PRINT, noRefs: true, lineWidth: -1 });
}
