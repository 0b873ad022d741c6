import type { ValuesProblem } from '#queries/answers/templates.js';
import type { Application } from '#api/v1alpha1/application.js';
import { CLUSTER_KINDS, type ClusterReference } from '#api/v1alpha1/destination.js';
import type { RevisionSpec, Template, TemplateKind } from '#api/v1alpha1/template.js';
import { withoutNulls } from '#controllers/application/model/destinations/template-use.js';
import { helmSpecOf } from '#controllers/application/model/spec/template-lookup.js';
import { listed } from '#lib/text/text.js';
import type { SchemaResult } from '#lib/json/json-schema.js';
import { defined, isMap, mergeMaps, type PlainMap } from '#lib/plain.js';
import { applicationUsing } from '#queries/views/requests.js';
import { Refusal } from './refusal.js';

/** What the body of a request to use a template says. */
export interface TemplateUse {
  readonly name: string;
  readonly namespace: string;
  readonly targetNamespace?: string;
  /** None: the host. */
  readonly clusters: readonly ClusterReference[];
  /** Pinned; undefined: it follows the template. */
  readonly revision?: number;
  /** Those that differ from the defaults. */
  readonly values?: PlainMap;
}

const FIELDS = ['name', 'namespace', 'targetNamespace', 'clusters', 'revision', 'values'];
const NAMED = 10;
const MOST_CLUSTERS = 100;
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;

function nameIn(body: PlainMap, field: string, form: RegExp): string {
  const { [field]: value } = body;
  if (typeof value === 'string' && form.test(value)) return value;
  throw new Refusal(400, `${field}: it must be the name of ${form === LABEL ? 'a namespace' : 'an object'}`);
}

function clusterIn(value: unknown): ClusterReference {
  if (!isMap(value) || Object.keys(value).some((key) => key !== 'kind' && key !== 'name')) {
    throw new Refusal(400, 'clusters: each must have a kind and a name');
  }
  const kind = CLUSTER_KINDS.find((each) => each === value['kind']);
  if (kind === undefined) throw new Refusal(400, `clusters: the kinds are ${CLUSTER_KINDS.join(', ')}`);
  return { kind, name: nameIn(value, 'name', SUBDOMAIN) };
}

function clustersIn({ clusters = [] }: PlainMap): ClusterReference[] {
  if (!Array.isArray(clusters) || clusters.length > MOST_CLUSTERS) {
    throw new Refusal(400, `clusters: it must be a list of up to ${MOST_CLUSTERS} clusters`);
  }
  return clusters.map(clusterIn);
}

/** Throws a Refusal (400) that names the field. */
export function templateUseIn(body: unknown): TemplateUse {
  if (!isMap(body)) throw new Refusal(400, 'the body is not an object');
  const odd = Object.keys(body).find((key) => !FIELDS.includes(key));
  if (odd !== undefined) {
    throw new Refusal(400, `${JSON.stringify(odd)} is no field of the body; choose from ${listed(FIELDS, NAMED)}`);
  }
  const { targetNamespace, revision, values } = body;
  if (revision !== undefined && !(Number.isSafeInteger(revision) && Number(revision) > 0)) {
    throw new Refusal(400, 'revision: it must be a whole number from 1');
  }
  if (values !== undefined && !isMap(values)) throw new Refusal(400, 'values: they must be an object');
  return {
    name: nameIn(body, 'name', SUBDOMAIN),
    namespace: nameIn(body, 'namespace', LABEL),
    clusters: clustersIn(body),
    ...(targetNamespace === undefined ? {} : { targetNamespace: nameIn(body, 'targetNamespace', LABEL) }),
    ...(revision === undefined ? {} : { revision: Number(revision) }),
    ...defined({ values }),
  };
}

/** As the field `template` of an Application names it. */
function referenceTo({ metadata }: Template, { namespace, revision }: TemplateUse): string {
  const name = metadata.namespace === namespace ? metadata.name : `${metadata.namespace ?? ''}/${metadata.name}`;
  return revision === undefined ? name : `${name}@${revision}`;
}

/** The Application that uses a template so. Throws a Refusal (400) for values where there can be none. */
export function applicationOf(template: Template, use: TemplateUse): Application {
  const kind = template.kind as TemplateKind; // of this type
  const { name, namespace, clusters, targetNamespace, values } = use;
  if (values !== undefined && kind !== 'HelmTemplate') throw new Refusal(400, `values: a ${kind} has none`);
  const text = referenceTo(template, use);
  return applicationUsing({ name, namespace, kind, template: text, clusters, targetNamespace, values });
}

/** What the values of a use are to be held against; undefined if the template has no schema. */
export function schemaQuestion(spec: RevisionSpec, { values = {} }: TemplateUse) {
  const helm = helmSpecOf(spec);
  const schema = helm?.valuesSchema;
  if (schema === undefined) return undefined;
  return { schema, values: [withoutNulls(mergeMaps(helm?.values ?? {}, values))] };
}

/** What the schema has against them. */
export function valuesProblems(result: SchemaResult): ValuesProblem[] {
  if ('problem' in result)
    return [{ field: '', message: `the schema of the template cannot be used: ${result.problem}` }];
  return result.problems.flat().map(({ path, message }) => ({ field: path, message }));
}
