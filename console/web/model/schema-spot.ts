import { cut } from '#lib/text/text.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { typeWords } from './schema-fields.js';
import type { Path } from './yaml-edit.js';

/** One of the schemas of a value. */
interface View {
  readonly schema: PlainMap;
  /** False: it is one of several, and need not hold. */
  readonly isSure: boolean;
}

/** All that is said of the value at one place; nothing is said of what no schema knows. */
export type Spot = readonly View[];

const NOTHING: Spot = [];
/** A schema is what somebody wrote: it may refer to itself, and combine without end. */
const MOST_VIEWS = 50;
const MOST_LEVELS = 100;
const MOST_CHARACTERS = 500;
const MOST_KEYS = 1_000;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function ownOf(map: unknown, key: string): unknown {
  return isMap(map) && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Types of alternatives that are nothing but types, as a number or a percentage. */
function typesOf(alternatives: readonly unknown[]): unknown[] {
  const types = alternatives.map((each) => ownOf(each, 'type'));
  return types.every((type) => typeof type === 'string') ? types : [];
}

/** What one schema says of the values below it. */
function belowOf({ schema, isSure }: View, key: string | number): View[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const items: unknown = schema['items'];
  const own = typeof key === 'number' ? (Array.isArray(items) ? listOf(items)[key] : items) : ownOf(properties, key);
  // Patterns are those of somebody else: they are not run.
  const isOther = typeof key === 'string' && own === undefined && patternProperties === undefined;
  const below = isOther ? additionalProperties : own;
  return isMap(below) ? [{ schema: below, isSure }] : [];
}

/** A JSON schema that a text is read by. Only references within it are followed. Never throws. */
export class SchemaTree {
  readonly #root: PlainMap;
  readonly #spots = new Map<PlainMap, Spot>();

  constructor(root: PlainMap) {
    this.#root = root;
  }

  get top(): Spot {
    return this.#whole([{ schema: this.#root, isSure: true }]);
  }

  /** Of a key of a map, or an item of a list. */
  below(spot: Spot, key: string | number): Spot {
    const views = spot.flatMap((view) => belowOf(view, key));
    const [only] = views;
    if (only === undefined) return NOTHING;
    // Lists and free maps ask for the same one again and again.
    const known = views.length === 1 && only.isSure ? this.#spots.get(only.schema) : undefined;
    const whole = known ?? this.#whole(views);
    if (views.length === 1 && only.isSure) this.#spots.set(only.schema, whole);
    return whole;
  }

  at(path: Path): Spot {
    return path.slice(0, MOST_LEVELS).reduce((spot, key) => this.below(spot, key), this.top);
  }

  /** With what the views refer to and combine. */
  #whole(views: readonly View[]): Spot {
    const found = [...views];
    const seen = new Set(views.map(({ schema }) => schema));
    // It grows on the way.
    for (let each = 0; each < found.length && found.length < MOST_VIEWS; each += 1) {
      const view = found[each];
      const more = view === undefined ? [] : this.#besides(view);
      for (const other of more) if (!seen.has(other.schema)) found.push(other);
      for (const { schema } of more) seen.add(schema);
    }
    return found.slice(0, MOST_VIEWS);
  }

  #besides({ schema, isSure }: View): View[] {
    const { $ref: reference, allOf, anyOf, oneOf, then: met, else: unmet } = schema;
    const all = [this.#target(reference), ...listOf(allOf)];
    const some = [...listOf(anyOf), ...listOf(oneOf), met, unmet];
    const types = [typesOf(listOf(anyOf)), typesOf(listOf(oneOf))].filter((each) => each.length > 0);
    return [
      ...types.map((type) => ({ schema: { type }, isSure })),
      ...all.filter(isMap).map((each) => ({ schema: each, isSure })),
      ...some.filter(isMap).map((each) => ({ schema: each, isSure: false })),
    ];
  }

  #target(reference: unknown): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    const keys = reference.split('/').slice(1, MOST_LEVELS);
    const named = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    return named.reduce<unknown>((found, key) => ownOf(found, key), this.#root);
  }
}

/** Keys that may stand at a place, those that must first, without those that nobody writes. */
export function keysAt(spot: Spot): { readonly key: string; readonly isRequired: boolean }[] {
  const required = requiredAt(spot);
  const keys = new Set<string>();
  for (const { schema } of spot) {
    for (const [key, field] of Object.entries(isMap(schema['properties']) ? schema['properties'] : {})) {
      if (ownOf(field, 'readOnly') !== true && keys.size < MOST_KEYS) keys.add(key);
    }
  }
  const all = [...keys].map((key) => ({ key, isRequired: required.has(key) }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

function requiredAt(spot: Spot): ReadonlySet<unknown> {
  return new Set(spot.filter(({ isSure }) => isSure).flatMap(({ schema }) => listOf(schema['required'])));
}

/** True for a key that a schema which must hold has no room for. */
export function isUnknownKey(spot: Spot, key: string): boolean {
  return spot.some(({ schema, isSure }) => {
    const { properties, patternProperties, additionalProperties } = schema;
    const isClosed = isSure && additionalProperties === false && patternProperties === undefined;
    return isClosed && ownOf(properties, key) === undefined;
  });
}

/** Values of which it must be one; none: there is no such list. */
export function choicesAt(spot: Spot): readonly unknown[] {
  const [schema] = spot.map((view) => view.schema).filter((each) => 'enum' in each || 'const' in each);
  if (schema === undefined) return typeIn(spot) === 'boolean' ? [true, false] : [];
  return 'const' in schema ? [schema['const']] : listOf(schema['enum']);
}

/** Of what must hold, or else of the first that may. */
function typeIn(spot: Spot): unknown {
  const views = [...spot.filter(({ isSure }) => isSure), ...spot];
  return views.find(({ schema }) => schema['type'] !== undefined)?.schema['type'];
}

/** Each list of types of which the value must have one. */
export function typesAt(spot: Spot): readonly (readonly unknown[])[] {
  const sure = spot.filter(({ schema, isSure }) => isSure && schema['type'] !== undefined);
  return sure.map(({ schema: { type } }) => (Array.isArray(type) ? listOf(type) : [type]));
}

/** `object`, `array`, another type, or undefined if there is more than one or none. */
export function shapeAt(spot: Spot): string | undefined {
  const type = typeIn(spot);
  if (typeof type === 'string') return type;
  return spot.some(({ schema }) => isMap(schema['properties'])) ? 'object' : undefined;
}

/** What people read of one place. */
export interface SpotWords {
  /** Empty: nothing is known of it. */
  readonly type: string;
  readonly description: string;
  /** As JSON; empty if it has none. */
  readonly fallback: string;
}

function firstOf(spot: Spot, key: string): unknown {
  return spot.find(({ schema }) => schema[key] !== undefined)?.schema[key];
}

export function wordsAt(spot: Spot): SpotWords {
  const [description, fallback] = [firstOf(spot, 'description'), firstOf(spot, 'default')];
  const choices = choicesAt(spot);
  const isListed = choices.length > 0 && typeIn(spot) !== 'boolean';
  return {
    type: spot.length === 0 ? '' : typeWords(isListed ? { enum: choices } : { type: typeIn(spot) }),
    description: typeof description === 'string' ? cut(description, MOST_CHARACTERS) : '',
    fallback: fallback === undefined ? '' : cut(JSON.stringify(fallback), MOST_CHARACTERS),
  };
}

export function isRequiredAt(above: Spot, key: string | number): boolean {
  return requiredAt(above).has(key);
}
