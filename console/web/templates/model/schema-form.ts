import { isMap, type PlainMap } from '#lib/plain.js';
import { cut } from '#lib/text/text.js';

/** How a value is entered; everything that no field can show is YAML. */
export type Input = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'list' | 'yaml';

/** One value of a chart that is asked for. */
export interface FormField {
  /** Keys that lead to it. */
  readonly path: readonly string[];
  readonly input: Input;
  /** `KEY`, or what its schema calls it. */
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What it is if nobody says anything; undefined: nothing. */
  readonly fallback: unknown;
  /** Of a choice. */
  readonly choices: readonly unknown[];
  /** What items of a list are. */
  readonly items: 'text' | 'number' | 'integer';
}

/** Values that belong together. */
export interface FormGroup {
  readonly path: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly fields: readonly FormField[];
}

export interface SchemaForm {
  /** The first one has the values of the top. */
  readonly groups: readonly FormGroup[];
  /** True: there are more values than fields. */
  readonly isCut: boolean;
}

/** A schema is what somebody wrote: nothing of it is sure, and it may be large. */
const MOST_FIELDS = 120;
const MOST_GROUPS = 30;
const MOST_LEVELS = 4;
const MOST_CHARACTERS = 300;
const MOST_KEY = 100;
const MOST_CHOICES = 100;

const INPUTS: Readonly<Record<string, Input>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
};

function mapOf(value: unknown): PlainMap {
  return isMap(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? cut(value, MOST_CHARACTERS) : '';
}

/** The one type of a value that may also be null. */
function typeOf({ type }: PlainMap): string {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : '';
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function choicesOf({ enum: choices, const: only }: PlainMap): readonly unknown[] {
  const list: readonly unknown[] = only === undefined ? (Array.isArray(choices) ? choices : []) : [only];
  return list.length <= MOST_CHOICES && list.every(isScalar) ? list : [];
}

function inputOf(schema: PlainMap): Pick<FormField, 'input' | 'items' | 'choices'> {
  const choices = choicesOf(schema);
  if (choices.length > 0) return { input: 'choice', items: 'text', choices };
  const type = typeOf(schema);
  const items = INPUTS[typeOf(mapOf(schema['items']))];
  const isList = type === 'array' && (items === 'text' || items === 'number' || items === 'integer');
  if (isList && choicesOf(mapOf(schema['items'])).length === 0) return { input: 'list', items, choices };
  // A type may be called `constructor`.
  const input = Object.hasOwn(INPUTS, type) ? INPUTS[type] : undefined;
  return { input: input ?? 'yaml', items: 'text', choices };
}

/** A form cannot show a value that is not of its schema. */
function fits(input: Input, value: unknown): boolean {
  if (value === undefined || input === 'yaml' || input === 'choice') return true;
  if (input === 'list') return Array.isArray(value) && value.every((item) => isScalar(item) && item !== null);
  return typeof value === (input === 'text' ? 'string' : input === 'boolean' ? 'boolean' : 'number');
}

/** What has to be said comes first, and YAML, which takes most room, last. */
function placeOf({ input, isRequired, fallback }: FormField): number {
  if (isRequired && fallback === undefined) return 0;
  return input === 'yaml' ? 2 : 1;
}

function groupsIn(schema: PlainMap): boolean {
  return typeOf(schema) === 'object' && Object.keys(mapOf(schema['properties'])).length > 0;
}

function ownOf(value: unknown, key: string): unknown {
  const map = mapOf(value);
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

interface At {
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** What the template says. */
  readonly known: unknown;
}

class Walk {
  readonly groups: FormGroup[] = [];
  isCut = false;
  #fields = 0;

  group(schema: PlainMap, { path, known }: Pick<At, 'path' | 'known'>): void {
    if (this.groups.length >= MOST_GROUPS) {
      this.isCut = true;
      return;
    }
    const fields: FormField[] = [];
    this.groups.push({ path, title: path.join('.'), description: textOf(schema['description']), fields });
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const properties = Object.entries(mapOf(schema['properties']));
    this.isCut ||= properties.length > MOST_FIELDS;
    const below: (() => void)[] = [];
    for (const [key, property] of properties.slice(0, MOST_FIELDS)) {
      if (key.length > MOST_KEY || !isMap(property)) {
        this.isCut = true;
        continue;
      }
      const at = { path: [...path, key], isRequired: required.includes(key), known: ownOf(known, key) };
      if (groupsIn(property) && path.length < MOST_LEVELS) below.push(() => this.group(property, at));
      else this.#add(fields, property, at);
    }
    fields.sort((one, other) => placeOf(one) - placeOf(other));
    for (const each of below) each();
  }

  #add(fields: FormField[], schema: PlainMap, { path, isRequired, known }: At): void {
    if (this.#fields >= MOST_FIELDS) {
      this.isCut = true;
      return;
    }
    this.#fields += 1;
    const asked = inputOf(schema);
    const fallback = known ?? schema['default'];
    const input = fits(asked.input, fallback) ? asked.input : 'yaml';
    const title = textOf(schema['title']) || (path.at(-1) ?? '');
    fields.push({ ...asked, input, path, title, description: textOf(schema['description']), isRequired, fallback });
  }
}

/**
 * The fields of a form for the values that a JSON schema describes; `defaults` are those of the template. References are
 * not followed: what they describe is YAML. Never throws.
 */
export function schemaForm(schema: unknown, defaults: unknown): SchemaForm {
  const walk = new Walk();
  walk.group(mapOf(schema), { path: [], known: defaults });
  return { groups: walk.groups.filter(({ fields }) => fields.length > 0), isCut: walk.isCut };
}
