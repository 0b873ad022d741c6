import fc from 'fast-check';
import { DURATION_PATTERN } from '#api/schema.js';

/** The part of a structural schema that says which values are valid. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/**
 * What to generate at a place instead of what its schema says, e.g. at `spec.deploy[].name`: something else, nothing,
 * or what the schema says, though it need not be there; undefined leaves it to the schema.
 */
export type Choose = (path: string) => fc.Arbitrary<unknown> | 'absent' | 'present' | undefined;

export interface ArbitraryOptions {
  readonly choose?: Choose;
  /** Items that a list has at least. */
  readonly fewestItems?: number;
}

/** Longer lists, texts and maps test nothing more. */
const MOST_ITEMS = 2;
const MOST_CHARACTERS = 12;
const MOST_KEYS = 2;
/** Of the optional fields so many are there: with all of them no two objects would differ much. */
const PRESENT = { absent: 4, present: 1 };

const duration = fc
  .tuple(fc.integer({ min: 1, max: 300 }), fc.constantFrom('ms', 's', 'm', 'h'))
  .map(([count, unit]) => `${count}${unit}`);

function textOf({ enum: words, pattern, minLength = 0, maxLength = Infinity }: Schema): fc.Arbitrary<string> {
  if (words !== undefined) return fc.constantFrom(...words);
  if (pattern === DURATION_PATTERN) return duration;
  const most = Math.min(maxLength, Math.max(minLength, MOST_CHARACTERS));
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: most });
  const longest = maxLength === Infinity ? [] : [fc.constant('x'.repeat(maxLength))];
  const limits = { minLength, maxLength: most };
  return fc.oneof(
    { weight: 40, arbitrary: fc.string({ ...limits, unit: 'grapheme-ascii' }) },
    { weight: 10, arbitrary: fc.string({ ...limits, unit: 'binary' }) },
    ...longest.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

function mapOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const key = fc.oneof(
    { weight: 9, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/) },
    { weight: 1, arbitrary: fc.string() },
  );
  return fc.dictionary(key, value, { maxKeys: MOST_KEYS, noNullPrototype: true });
}

function numberOf({ minimum = -2, maximum = 10 }: Schema): fc.Arbitrary<number> {
  return fc.integer({ min: minimum, max: Math.min(maximum, 10) });
}

const INT_OR_STRING = 'int-or-string';

const SCALARS: Readonly<Record<string, (schema: Schema) => fc.Arbitrary<unknown>>> = {
  boolean: () => fc.boolean(),
  integer: numberOf,
  string: textOf,
  [INT_OR_STRING]: (schema) => fc.oneof(numberOf(schema), textOf(schema)),
};

/** What a schema says of the type; the one without a type has a word of its own. */
export function typeOf({ type, 'x-kubernetes-int-or-string': isEither }: Schema): string {
  return isEither === true ? INT_OR_STRING : (type ?? '');
}

class Generator {
  readonly #choose: Choose;
  readonly #fewestItems: number;

  constructor({ choose = () => undefined, fewestItems = 0 }: ArbitraryOptions) {
    this.#choose = choose;
    this.#fewestItems = fewestItems;
  }

  of(schema: Schema, path: string): fc.Arbitrary<unknown> {
    const chosen = this.#choose(path);
    if (chosen !== undefined && typeof chosen !== 'string') return chosen;
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return mapOf(fc.jsonValue({ maxDepth: 2 }));
    if (schema.type === 'object') return this.#map(schema, path);
    if (schema.type === 'array') return this.#list(schema, path);
    const scalar = SCALARS[typeOf(schema)];
    if (scalar === undefined) throw new Error(`${path}: nothing is known of the type of its schema`);
    return scalar(schema);
  }

  #map(schema: Schema, path: string): fc.Arbitrary<unknown> {
    const { properties, additionalProperties } = schema;
    if (properties !== undefined) return this.#object(properties, schema, path);
    return mapOf(additionalProperties === undefined ? fc.jsonValue() : this.of(additionalProperties, `${path}{}`));
  }

  #list({ items = {}, minItems = 0 }: Schema, path: string): fc.Arbitrary<unknown> {
    const minLength = Math.max(minItems, this.#fewestItems);
    return fc.array(this.of(items, `${path}[]`), { minLength, maxLength: Math.max(minLength, MOST_ITEMS) });
  }

  #object(
    properties: Readonly<Record<string, Schema>>,
    { required = [] }: Schema,
    path: string,
  ): fc.Arbitrary<unknown> {
    const fields = Object.entries(properties).map(([name, schema]) => {
      const at = `${path}.${name}`;
      const chosen = this.#choose(at);
      if (chosen === 'absent') return [name, fc.constant(undefined)] as const;
      const value = this.of(schema, at);
      if (chosen !== undefined || required.includes(name)) return [name, value] as const;
      const absent = { weight: PRESENT.absent, arbitrary: fc.constant(undefined) };
      return [name, fc.oneof(absent, { weight: PRESENT.present, arbitrary: value })] as const;
    });
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true }).map(withoutUndefined);
  }
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Valid values of a structural schema, made by walking it: a new field is generated as soon as the schema has it. */
export function arbitraryOf(schema: Schema, path: string, options: ArbitraryOptions = {}): fc.Arbitrary<unknown> {
  return new Generator(options).of(schema, path);
}

/** A value somewhere in an object, and what its schema says of it. */
export interface Place {
  /** As the API server writes it, e.g. `spec.deploy[0].name`. */
  readonly path: string;
  readonly schema: Schema;
  readonly keys: readonly (string | number)[];
}

interface Step extends Place {
  readonly value: unknown;
}

function inside({ value, schema, path, keys }: Step): Step[] {
  if (Array.isArray(value)) {
    // Array.isArray loses what the elements are.
    const elements: readonly unknown[] = value;
    const item = schema.items ?? {};
    return elements.map((each, at) => ({ value: each, schema: item, path: `${path}[${at}]`, keys: [...keys, at] }));
  }
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {} } = schema;
  return Object.entries<unknown>({ ...value }).flatMap(([name, each]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return field === undefined ? [] : [{ value: each, schema: field, path: `${path}.${name}`, keys: [...keys, name] }];
  });
}

/** Every place of a value that its schema describes, itself first. */
export function placesOf(value: unknown, schema: Schema, path: string): Place[] {
  const walk = (step: Step): Place[] => [step, ...inside(step).flatMap(walk)];
  return walk({ value, schema, path, keys: [] });
}
