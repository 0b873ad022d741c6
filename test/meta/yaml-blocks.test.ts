import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import memoize from 'lodash/memoize.js';
import type { KubeObject } from '#api/meta.js';
import { structuralSchema, type StructuralSchema } from '#config/crd.js';
import { KINDS } from '#config/kinds.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { blocksIn } from '../support/doc-blocks.js';
import { filesBelow } from './repository.js';

/** The same schema without unknown fields, as `kubectl` and server-side apply validate. */
function closed(schema: StructuralSchema): object {
  const { properties, items, additionalProperties, ...rest } = schema;
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, closed(field)]);
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) as object }),
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(schema.type === 'object' && !keeps
      ? { additionalProperties: additionalProperties === undefined ? false : closed(additionalProperties) }
      : {}),
  };
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Those of Kubernetes itself are applied to an API server by `doc-blocks.test.ts`. */
function isBuiltIn(apiVersion: string): boolean {
  return !apiVersion.includes('.') || apiVersion.includes('.k8s.io/');
}

/** Compiles the schema of each kind once: that takes much longer than checking an object. */
const validatorOf = memoize((known: (typeof KINDS)[number]) =>
  ajv.compile({ type: 'object', ...closed({ ...structuralSchema(known) }) }),
);

function problemsOf({ apiVersion, kind, metadata, ...rest }: KubeObject): string[] {
  if (isBuiltIn(apiVersion)) return [];
  const known = KINDS.find(({ resource }) => resource.kind === kind);
  if (known === undefined) return [`unknown kind ${kind}`];
  expect(apiVersion).toBe(`${known.resource.group}/${known.resource.version}`);
  expect(metadata.name).not.toBe('');
  const validate = validatorOf(known);
  validate(rest);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

const PAGES = ['README.md', ...filesBelow('docs'), ...filesBelow('samples')].filter((file) => file.endsWith('.md'));
const BLOCKS = PAGES.flatMap((page) => blocksIn(page, 'yaml'));

describe('YAML in the docs', () => {
  test.each(BLOCKS.map((block) => [block.title, block] as const))('%s is valid', (_title, { text }) => {
    const objects = parseYamlDocuments(text) as Partial<KubeObject>[];
    const whole = objects.filter((object): object is KubeObject => object.kind !== undefined);
    expect(whole.flatMap(problemsOf)).toEqual([]);
  });

  test('shows an Application in the README that applies as it is', () => {
    const [first] = BLOCKS.filter(({ title }) => title.startsWith('README.md'));
    expect(parseYamlDocuments(first?.text ?? '')).toEqual([expect.objectContaining({ kind: 'Application' })]);
  });
});
