import { readFile } from 'node:fs/promises';
import type { FluxController } from '#bench/scenarios/flux-controller.js';
import { isMap } from '#lib/plain.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { definitionsOf } from './definitions.js';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** As in `patches.target.kind`: neither items of lists nor keys of maps are told apart. */
function fieldsOf({ properties, items }: Schema, path: readonly string[] = []): string[] {
  if (items?.properties !== undefined) return fieldsOf(items, path);
  if (properties === undefined) return [path.join('.')];
  return Object.entries(properties).flatMap(([name, schema]) => fieldsOf(schema, [...path, name]));
}

/** The paths of all that a value sets, those in between included. */
export function pathsIn(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => pathsIn(item, path));
  if (value === undefined) return [];
  const below = isMap(value) ? Object.entries(value).flatMap(([name, each]) => pathsIn(each, [...path, name])) : [];
  return [path.join('.'), ...below];
}

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The fields of the spec of each kind that the controller defines, in its version v1. */
export async function fieldsOfFlux(controller: FluxController): Promise<Map<string, string[]>> {
  const fields = new Map<string, string[]>();
  for (const file of await definitionsOf(controller)) {
    const { spec } = parseYaml(await readFile(file, 'utf8')) as Definition; // as controller-gen writes them
    const schema = spec.versions.find(({ name }) => name === 'v1')?.schema.openAPIV3Schema.properties?.['spec'];
    fields.set(spec.names.kind, schema === undefined ? [] : fieldsOf(schema));
  }
  return fields;
}
