import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { crdOf, structuralSchema, type StructuralSchema } from '#config/crd.js';
import { KINDS } from '#config/kinds.js';

/** Keywords that Kubernetes allows in a structural schema, as far as we use them. */
const KEYWORDS = new Set([
  'additionalProperties',
  'anyOf',
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

/** Bytes of a CRD as JSON; what an API server holds and a user downloads grows with them. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  Application: 110_000,
  HelmTemplate: 32_000,
  KustomizationTemplate: 17_000,
  HelmRelease: 34_000,
  Kustomization: 18_000,
};
const MAX_BYTES_OF_A_SOURCE = 12_000;

interface Node {
  readonly path: string;
  readonly schema: StructuralSchema;
}

function nodesOf(schema: StructuralSchema, path: string): Node[] {
  const { properties = {}, items, additionalProperties } = schema;
  const children = Object.entries(properties).map(([name, child]) => nodesOf(child, `${path}.${name}`));
  const item = items === undefined ? [] : nodesOf(items, `${path}[]`);
  const value = additionalProperties === undefined ? [] : nodesOf(additionalProperties, `${path}.*`);
  return [{ path, schema }, ...children.flat(), ...item, ...value];
}

function pathsWhere(nodes: readonly Node[], is: (schema: StructuralSchema) => boolean): string[] {
  return nodes.filter(({ schema }) => is(schema)).map(({ path }) => path);
}

describe.each(KINDS.map((kind) => [kind.resource.kind, kind] as const))('the CRD of %s', (name, kind) => {
  const nodes = nodesOf(structuralSchema(kind), name);
  const own = nodes.filter(({ path }) => path !== `${name}.metadata`);

  test('uses structural keywords only', () => {
    const isForeign = (schema: StructuralSchema): boolean => Object.keys(schema).some((key) => !KEYWORDS.has(key));
    expect(pathsWhere(nodes, isForeign)).toEqual([]);
  });

  test('gives each field a type', () => {
    const hasType = (schema: StructuralSchema): boolean =>
      schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true;
    expect(pathsWhere(nodes, (schema) => !hasType(schema))).toEqual([]);
  });

  test('describes each field in a short sentence', () => {
    const isUndescribed = ({ description = '' }: StructuralSchema): boolean =>
      !/^\S.*\.$/.test(description) || description.length > 130;
    const fields = own.filter(({ path }) => !path.endsWith('.*'));
    expect(pathsWhere(fields, isUndescribed)).toEqual([]);
  });

  test('says of each object what is in it, or that anything may be', () => {
    const isEmpty = (schema: StructuralSchema): boolean =>
      schema.type === 'object' &&
      schema.properties === undefined &&
      schema.additionalProperties === undefined &&
      schema['x-kubernetes-preserve-unknown-fields'] !== true;
    expect(pathsWhere(own, isEmpty)).toEqual([]);
  });

  test('requires only fields that exist', () => {
    const isWrong = ({ required = [], properties = {} }: StructuralSchema): boolean =>
      required.some((field) => properties[field] === undefined);
    expect(pathsWhere(nodes, isWrong)).toEqual([]);
  });

  test('is small', () => {
    const bytes = JSON.stringify(crdOf(kind)).length;
    expect(bytes).toBeLessThan(MAX_BYTES[name] ?? MAX_BYTES_OF_A_SOURCE);
  });
});

describe('the CRD of Application', () => {
  const application = KINDS.find(({ resource }) => resource.kind === 'Application');
  const nodes = nodesOf(structuralSchema(application!), 'Application');

  test('has no default, which would hide that a layer says nothing', () => {
    expect(pathsWhere(nodes, (schema) => schema.default !== undefined)).toEqual([]);
  });

  test('bounds its lists of destinations', () => {
    const lists = nodes.filter(({ path }) => /\.(deploy|kustomization|destinations)$/.test(path));
    expect(lists.map(({ schema }) => schema.maxItems)).toEqual([1_000, 1_000, 1_000, 20]);
  });
});

describe('every CRD', () => {
  test('says that Fairlead installed it, and which version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const labels = KINDS.map((kind) => crdOf(kind).metadata.labels);
    const expected = {
      'app.kubernetes.io/part-of': 'fairlead',
      'gitops.kubesphere.io/crd-version': version,
    };
    expect(labels).toEqual(KINDS.map(() => expected));
  });

  test('shares no short name with another', () => {
    const names = KINDS.flatMap(({ shortNames, resource }) => [...shortNames, resource.plural]);
    expect(new Set(names).size).toBe(names.length);
  });
});
