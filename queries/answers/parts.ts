import Type from 'typebox';
import type { KubeObject } from '#api/meta.js';
import { integer, list, object, text, word } from '#api/schema.js';

/** The parts that several answers have. */

/** A schema that `/openapi.json` has once, by its name, because several answers have it. */
export type NamedSchema<Schema extends Type.TSchema = Type.TSchema> = Schema & { readonly $id: string };

/** The schema with its name. */
export function inOpenApi<Schema extends Type.TSchema>(name: string, schema: Schema): NamedSchema<Schema> {
  return { ...schema, $id: name };
}

/** Refers to a schema that has a name. */
export function refTo<Schema extends Type.TSchema>({ $id }: NamedSchema<Schema>) {
  return Type.Unsafe<Type.Static<Schema>>({ $ref: `${$id}#` });
}

/** Any JSON. */
export function anything(description: string) {
  return Type.Unknown({ description });
}

/** The name of an object of one of these kinds. */
export function nameOf(description: string, kinds: readonly string[]) {
  return object(description, { kind: word('Kind.', kinds), namespace: text('Namespace.'), name: text('Name.') });
}

/** An object of Kubernetes, whole. */
export function kubeObject(description: string) {
  const names = { apiVersion: text('API version.'), kind: text('Kind.') };
  const metadata = Type.Unsafe<object>({ type: 'object', description: 'Metadata of the object.' });
  const { properties, required } = Type.Object({ ...names, metadata });
  const isOpen = { 'x-kubernetes-preserve-unknown-fields': true };
  return Type.Unsafe<KubeObject>({ type: 'object', description, properties, required, ...isOpen });
}

/** One page of a list. */
export function pageOf<Item extends Type.TSchema, More extends Type.TProperties>(what: string, each: Item, more: More) {
  const numbers = { total: integer('Number on all pages.'), page: integer('Page.'), limit: integer('Most of a page.') };
  return object(`One page of ${what}.`, { items: list('Those of the page.', each), ...numbers, ...more });
}
