import { beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { parseYaml } from '#controllers/runtime/pure/yaml.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { definitionsOf } from '../definitions.js';
import { allCases } from './cases.js';
import { COMMON_SPEC } from './story.js';

const LIMIT_MS = 600_000;
const REJECTED = 'rejected by the embedded engine, with a way out';

/** Fields of Flux that no case sets, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  suspend: 'nothing is reconciled, so that nothing is reported either',
  'kubeConfig.configMapRef.name': REJECTED,
  'decryption.serviceAccountName': REJECTED,
};

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
function pathsIn(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => pathsIn(item, path));
  if (value === undefined) return [];
  const below = isMap(value) ? Object.entries(value).flatMap(([name, each]) => pathsIn(each, [...path, name])) : [];
  return [path.join('.'), ...below];
}

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

async function fieldsOfFlux(): Promise<string[]> {
  const [file = ''] = await definitionsOf('kustomize-controller');
  const { spec } = parseYaml(await readFile(file, 'utf8')) as Definition; // as controller-gen writes them
  const schema = spec.versions.find(({ name }) => name === 'v1')?.schema.openAPIV3Schema.properties?.['spec'];
  return schema === undefined ? [] : fieldsOf(schema);
}

let fields: string[];
let compared: Set<string>;

beforeAll(async () => {
  const cases = allCases({}).filter(({ differs }) => differs === undefined);
  const specs = cases.flatMap(({ steps, others = {} }) => [...steps.map(({ spec }) => spec), ...Object.values(others)]);
  fields = await fieldsOfFlux();
  compared = new Set([COMMON_SPEC, ...specs].flatMap((spec) => pathsIn(spec)));
}, LIMIT_MS);

test('each field of the spec is compared, or says why not', () => {
  expect(fields.length).toBeGreaterThan(50);
  expect(fields.filter((field) => !compared.has(field) && LEFT_OUT[field] === undefined)).toEqual([]);
});

test('what is left out is a field that no case sets', () => {
  expect(Object.keys(LEFT_OUT).filter((field) => !fields.includes(field) || compared.has(field))).toEqual([]);
});
