import type { Rule } from '#api/schema.js';

/** What is read of a structural schema. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

/** The library's types are of what a schema is for, and not of what is in it. */
export function schemaOf(schema: object): Schema {
  return schema;
}

/** The schema of a field; undefined: there is no such field, or it may be anything. */
export function fieldSchema({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
