import Type from 'typebox';

/**
 * The functions that API types are written with. Each returns a structural schema, as Kubernetes requires, so that the
 * CRD, the TypeScript type and the reference page come from one line. Every field has a sentence for users.
 */

/** One CEL rule as `x-kubernetes-validations` has it. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

interface TextLimits {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  default?: string;
}

interface NumberLimits {
  minimum?: number;
  maximum?: number;
  default?: number;
}

interface ListLimits {
  minItems?: number;
  maxItems?: number;
}

/** Options of an object in addition to its fields. */
interface ObjectOptions {
  rules?: readonly Rule[] | undefined;
  default?: unknown;
}

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/** The type of values of a schema that nobody changes. */
export type Frozen<Schema extends Type.TSchema> = Immutable<Type.Static<Schema>>;

/** The format of all durations: Go's, without signs and without units below milliseconds. */
export const DURATION_PATTERN = String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`;

/** Marks a field that may be absent. */
export const optional = Type.Optional;

/** A string. */
export function text(description: string, limits: TextLimits = {}) {
  return Type.String({ description, ...limits });
}

/** A Go duration such as `1h30m`. */
export function duration(description: string, limits: { default?: string } = {}) {
  return text(description, { pattern: DURATION_PATTERN, ...limits });
}

/** The name of an object: up to 253 characters. */
export function objectName(description: string) {
  return text(description, { minLength: 1, maxLength: 253 });
}

/** The name of a namespace: up to 63 characters. */
export function namespaceName(description: string) {
  return text(description, { minLength: 1, maxLength: 63 });
}

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = String.raw`${DNS_LABEL}(\.${DNS_LABEL})*`;

/** An optional name: Go clients and forms write an empty string if it is not set. */
function optionalName(description: string, form: string, maxLength: number) {
  return optional(text(description, { pattern: `^(${form})?$`, maxLength }));
}

/** The name of a referenced object. */
export function referredName(description: string) {
  return text(description, { pattern: `^${DNS_SUBDOMAIN}$`, maxLength: 253 });
}

/** The optional name of an object, or of something named like one. */
export function optionalObjectName(description: string, maxLength = 253) {
  return optionalName(description, DNS_SUBDOMAIN, maxLength);
}

/** The optional name of a namespace, or of something named like one. */
export function optionalNamespaceName(description: string) {
  return optionalName(description, DNS_LABEL, 63);
}

/** An RFC 3339 time. */
export function time(description: string) {
  return Type.String({ description, format: 'date-time' });
}

/** A whole number that a double holds exactly. */
export function integer(description: string, limits: NumberLimits = {}) {
  return Type.Integer({ description, format: 'int64', ...limits });
}

/** A number, or a percentage up to 100%. */
export function countOrPercentage(description: string) {
  const forms = [{ type: 'integer' }, { type: 'string' }];
  const limits = { minimum: 0, pattern: '^(100|[1-9]?[0-9])%$' };
  return Type.Unsafe<number | string>({ description, anyOf: forms, 'x-kubernetes-int-or-string': true, ...limits });
}

/** True or false. */
export function flag(description: string, limits: { default?: boolean } = {}) {
  return Type.Boolean({ description, ...limits });
}

/** One of some words. */
export function oneOf<const Word extends string>(
  description: string,
  words: readonly Word[],
  limits: { default?: Word } = {},
) {
  return Type.Unsafe<Word>({ type: 'string', description, enum: [...words], ...limits });
}

/** The same for a field that code does not rely on, because an object of a newer version may have another word. */
export function word(description: string, words: readonly string[]) {
  return Type.Unsafe<string>({ type: 'string', description, enum: [...words] });
}

/** A list of one kind of item. */
export function list<Item extends Type.TSchema>(description: string, item: Item, limits: ListLimits = {}) {
  return Type.Array(item, { description, ...limits });
}

/** A list in which each item has another value of the field `key`: several writers may own items of their own. */
export function listByKey<Item extends Type.TSchema>(
  description: string,
  item: Item,
  { key, ...limits }: ListLimits & { readonly key: string },
) {
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] };
  return Type.Array(item, { description, ...limits, ...keyed });
}

/** Free keys with values of one kind. */
export function mapOf<Value extends Type.TSchema>(description: string, value: Value) {
  return Type.Unsafe<Record<string, Type.Static<Value>>>({ type: 'object', description, additionalProperties: value });
}

/** Free keys with text values: labels, annotations and the like. */
export function textMap(description: string) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    description,
    additionalProperties: { type: 'string' },
  });
}

/** An object with the fields listed; all others are pruned. */
export function object<Fields extends Type.TProperties>(
  description: string,
  fields: Fields,
  { rules, ...options }: ObjectOptions = {},
) {
  const validations = rules === undefined ? {} : { 'x-kubernetes-validations': rules };
  return Type.Object(fields, { description, ...options, ...validations });
}

/** An object with arbitrary content: every field is preserved, explicit nulls included. */
export function openObject(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description,
    'x-kubernetes-preserve-unknown-fields': true,
  });
}

const Requirement = object('One requirement for a label.', {
  key: text('Label key.', { minLength: 1, maxLength: 317 }),
  operator: oneOf('Relation of the label to the values.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: optional(list('Values for In and NotIn.', text('Value.', { maxLength: 63 }), { maxItems: 64 })),
});

/** Fields of a selector for the labels of `what`, with its article. */
export function selectorFields(what: string) {
  return {
    matchLabels: optional(textMap(`Labels that ${what} must have.`)),
    matchExpressions: optional(list('Requirements for labels.', Requirement, { maxItems: 64 })),
  };
}
