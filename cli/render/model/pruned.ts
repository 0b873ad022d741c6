import type { KubeObject } from '#api/meta.js';
import type { Rule } from '#api/schema.js';
import { Application } from '#api/v1alpha1/application.js';
import { HelmTemplate } from '#api/v1alpha1/helm-template.js';
import { KustomizationTemplate } from '#api/v1alpha1/kustomization-template.js';
import { isMap, type PlainMap } from '#lib/plain.js';

/** The fields that are read of a structural schema. */
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

const SCHEMAS: ReadonlyMap<string, Schema> = new Map(
  Object.entries({ Application, HelmTemplate, KustomizationTemplate }).map(([kind, schema]) => [
    kind,
    schemaOf(schema),
  ]),
);

/** True: all that is there is kept. */
function isOpen({ properties, additionalProperties, ...schema }: Schema): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  // What is wrong where no map should be is said by the check of the schema.
  return properties === undefined && additionalProperties === undefined;
}

interface Place {
  readonly path: string;
  /** Gets the paths of what is dropped. */
  readonly dropped: string[];
}

function prunedMap(schema: Schema, value: PlainMap, { path, dropped }: Place): PlainMap {
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const part = fieldSchema(schema, name);
    const at = `${path}.${name}`;
    if (part !== undefined) return [[name, prunedValue(part, field, { path: at, dropped })]];
    dropped.push(at);
    return [];
  });
  return Object.fromEntries(fields);
}

function prunedValue(schema: Schema, value: unknown, { path, dropped }: Place): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return value.map((item: unknown, index) => prunedValue(items, item, { path: `${path}[${index}]`, dropped }));
  }
  if (!isMap(value) || isOpen(schema)) return value;
  return prunedMap(schema, value, { path, dropped });
}

/**
 * An object of ours as the API server stores it: without the fields that its schema does not have, whose paths come
 * with it. Never throws.
 */
export function pruned(object: KubeObject): { readonly object: KubeObject; readonly dropped: readonly string[] } {
  const { spec } = schemaOfObject(object)?.properties ?? {};
  const { spec: value, ...others } = object as KubeObject & { readonly spec?: unknown };
  if (spec === undefined || value === undefined) return { object, dropped: [] };
  const dropped: string[] = [];
  const kept = { ...others, spec: prunedValue(spec, value, { path: 'spec', dropped }) };
  return { object: kept, dropped };
}

function schemaOfObject({ apiVersion, kind }: KubeObject): Schema | undefined {
  return apiVersion.startsWith('gitops.kubesphere.io/') ? SCHEMAS.get(kind) : undefined;
}

/** Fields of Fleet's HelmOps and bundles that have another name here, by their last key. */
const OURS: ReadonlyMap<string, string> = new Map([
  ['atomic', 'install.remediation and upgrade.remediation of the entry'],
  ['takeOwnership', 'nothing, as objects are taken over; install.disableTakeOwnership ends that'],
  ['waitForJobs', 'nothing, as jobs are waited for; install.disableWaitForJobs ends that'],
  ['timeoutSeconds', 'timeout of the entry'],
  ['pollingInterval', 'interval'],
  ['defaultNamespace', 'destination.targetNamespace of the entry'],
  ['serviceAccount', 'serviceAccountName'],
  ['helmSecretName', 'source.inline.secretRef'],
  ['insecureSkipTLSVerify', 'source.inline.insecureSkipTLS'],
  ['skipSchemaValidation', 'install.disableSchemaValidation and upgrade.disableSchemaValidation of the entry'],
  ['disableOpenAPIValidation', 'install.disableOpenAPIValidation and upgrade.disableOpenAPIValidation of the entry'],
  ['targetCustomizations', 'overrides of the entry'],
  ['comparePatches', 'ignore of the entry'],
  ['rolloutStrategy', 'spec.rollout'],
]);

/** The path of a field that does not exist, and what says the same if it is one of Fleet. */
export function withOwnName(path: string): string {
  const ours = OURS.get(path.slice(path.lastIndexOf('.') + 1));
  return ours === undefined ? path : `${path} (of Fleet; here: ${ours})`;
}
