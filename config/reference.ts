import type { StructuralSchema } from './crd.js';
import { bulletList } from './markdown.js';

/** One field in the API reference. */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

function limitsOf({ minimum, maximum, minLength, maxLength, maxItems }: StructuralSchema): string[] {
  const bounds: [number | undefined, string][] = [
    [minimum, 'at least'],
    [maximum, 'at most'],
  ];
  const sizes: [number | undefined, string][] = [
    [minLength === 1 ? undefined : minLength, 'characters or more'],
    [maxLength, 'characters or fewer'],
    [maxItems, 'items or fewer'],
  ];
  return [
    ...bounds.flatMap(([value, words]) => (value === undefined ? [] : [`${words} ${value}`])),
    ...sizes.flatMap(([value, words]) => (value === undefined ? [] : [`${value} ${words}`])),
  ];
}

function isDuration({ pattern }: StructuralSchema): boolean {
  return pattern?.includes('(ms|s|m|h)') === true;
}

function typeOf(schema: StructuralSchema): string {
  if (schema.enum !== undefined) return schema.enum.join(' | ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.format === 'date-time') return 'time';
  return isDuration(schema) ? 'duration' : (schema.type ?? 'any');
}

function describe(schema: StructuralSchema): string {
  const limits = limitsOf(schema);
  const sentence = schema.description ?? '';
  return limits.length === 0 ? sentence : `${sentence} (${limits.join(', ')})`;
}

function children(path: string, schema: StructuralSchema): Field[] {
  if (schema.items !== undefined) return children(`${path}[]`, schema.items);
  if (schema.additionalProperties !== undefined) return children(`${path}.*`, schema.additionalProperties);
  return fieldsOf(schema, path);
}

/** Every field below an object, in the order of the schema; lists are written `path[]`, maps `path.*`. */
export function fieldsOf(schema: StructuralSchema, parent = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    const required = schema.required?.includes(name) === true;
    return [{ path, type: typeOf(child), required, description: describe(child) }, ...children(path, child)];
  });
}

/** The schema at a path as `fieldsOf` writes it; undefined if there is no such field. */
export function schemaAt(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  const steps = path.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), '[]'] : [step]));
  return steps.reduce<StructuralSchema | undefined>(
    (at, step) => (step === '[]' ? at?.items : step === '*' ? at?.additionalProperties : at?.properties?.[step]),
    schema,
  );
}

/** Markdown for the text itself. */
function escaped(text: string): string {
  return text.replaceAll(/[<>*_]/g, '\\$&');
}

function itemOf({ path, type, required, description }: Field): string {
  return `\`${path}\` (${type}${required ? ', required' : ''}): ${escaped(description)}`;
}

/** The fields of one part of a kind, as a Markdown list, without those below the paths `elsewhere`. */
export function fieldList(schema: StructuralSchema, elsewhere: readonly string[] = []): string {
  const fields = fieldsOf(schema).filter(({ path }) => !elsewhere.some((other) => path.startsWith(`${other}.`)));
  return bulletList(fields.map(itemOf));
}
