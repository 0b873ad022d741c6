import { cut } from '#lib/text/text.js';

/** One value that a JSON schema describes. */
export interface SchemaField {
  /** `image.tag`; items of a list are `[]`. */
  readonly path: string;
  /** In words, e.g. `string`, `integer or null`, `one of "a", "b"`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** As JSON; empty if it has none. */
  readonly fallback: string;
}

export interface SchemaFields {
  readonly fields: readonly SchemaField[];
  /** True: there are more, or deeper ones. */
  readonly isCut: boolean;
}

/** A schema is what somebody wrote: nothing of it is sure, and it may be large. */
const MOST_FIELDS = 200;
const MOST_LEVELS = 8;
const MOST_CHARACTERS = 300;
const MOST_CHOICES = 10;

type Map = Readonly<Record<string, unknown>>;

function mapOf(value: unknown): Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Map) : {};
}

function shortened(text: string): string {
  return cut(text, MOST_CHARACTERS);
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : shortened(JSON.stringify(value));
}

/** In words. */
export function typeWords({ type, enum: choices, const: only }: Map): string {
  if (only !== undefined) return jsonOf(only);
  if (Array.isArray(choices)) {
    const shown = choices.slice(0, MOST_CHOICES).map(jsonOf).join(', ');
    return `one of ${shown}${choices.length > MOST_CHOICES ? ', …' : ''}`;
  }
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
  return types.length === 0 ? 'any' : shortened(types.join(' or '));
}

class Walk {
  readonly fields: SchemaField[] = [];
  isCut = false;

  below(schema: Map, path: string, level: number): void {
    const names = Object.keys(mapOf(schema['properties']));
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    for (const name of names) {
      this.#add(mapOf(mapOf(schema['properties'])[name]), {
        path: path === '' ? name : `${path}.${name}`,
        isRequired: required.includes(name),
        level,
      });
    }
    const items = mapOf(schema['items']);
    if (Object.keys(mapOf(items['properties'])).length > 0) this.#deeper(items, `${path}[]`, level);
  }

  #add(schema: Map, { path, isRequired, level }: { path: string; isRequired: boolean; level: number }): void {
    if (this.fields.length >= MOST_FIELDS) {
      this.isCut = true;
      return;
    }
    const { description } = schema;
    this.fields.push({
      path: shortened(path),
      type: typeWords(schema),
      isRequired,
      description: typeof description === 'string' ? shortened(description) : '',
      fallback: jsonOf(schema['default']),
    });
    this.#deeper(schema, path, level);
  }

  #deeper(schema: Map, path: string, level: number): void {
    if (level < MOST_LEVELS) this.below(schema, path, level + 1);
    else this.isCut ||= Object.keys(mapOf(schema['properties'])).length > 0;
  }
}

/** The values that a JSON schema describes, in its order. References are not followed. Never throws. */
export function schemaFields(schema: unknown): SchemaFields {
  const walk = new Walk();
  walk.below(mapOf(schema), '', 1);
  return { fields: walk.fields, isCut: walk.isCut };
}
