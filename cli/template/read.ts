import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import {
  TEMPLATE_KINDS,
  TEMPLATE_RESOURCES,
  revisionSpecOf,
  type RevisionSpec,
  type Template,
  type TemplateKind,
} from '#api/v1alpha1/template.js';
import { parseReference, templatePlaces } from '#controllers/application/model/spec/template-lookup.js';
import { readTemplateRevisions } from '#queries/host/template-revisions.js';
import { listAll, type Kube, type ListQuery } from '#runtime/client/kube.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import { notInstalled } from '../output/listing.js';

/** Revisions that an error names. */
const NAMED = 20;

/** Which template a user names, as the field `template` of an Application does. */
export interface Wanted {
  /** `NAME` or `NAMESPACE/NAME`, optionally with `@REVISION`. */
  readonly text: string;
  /** Of a `NAME`. */
  readonly namespace: string;
  /** Undefined: either. */
  readonly kind: TemplateKind | undefined;
}

type Resource = (typeof TEMPLATE_RESOURCES)[number];

/** True for what this user may not ask. */
export function isForbidden(error: unknown): error is Error {
  return apiStatusOf(error)?.code === 403 && error instanceof Error;
}

/** The first of the places that has one, as the controller looks a template up. */
async function findOne(kube: Kube, type: Resource, wanted: Wanted): Promise<Template | Error | undefined> {
  for (const place of templatePlaces(wanted)) {
    try {
      const found = await kube.get<Template>(type, place);
      if (found !== undefined) return found;
    } catch (error: unknown) {
      if (isForbidden(error)) return error;
      throw error;
    }
  }
  return undefined;
}

/** The revision that a user names; undefined: none. Throws for what is no reference. */
export function pinnedRevision(text: string): number | undefined {
  const reference = parseReference(text);
  if (reference !== undefined) return reference.revision;
  const example = 'use NAME or NAMESPACE/NAME, optionally with @REVISION';
  throw new Error(`${JSON.stringify(text)} is not a template reference; ${example}`);
}

/** Throws if there is none, if both kinds have one, or if the user may not read it. */
export async function readTemplate(kube: Kube, wanted: Wanted): Promise<Template> {
  pinnedRevision(wanted.text);
  const types = TEMPLATE_RESOURCES.filter(({ kind }) => wanted.kind === undefined || kind === wanted.kind);
  const answers = await Promise.all(types.map((type) => findOne(kube, type, wanted)));
  const found = answers.flatMap((each) => (each === undefined || each instanceof Error ? [] : [each]));
  const [first, second] = found;
  if (first !== undefined && second !== undefined) {
    const both = found.map(({ kind, metadata }) => describeObject(kind, metadata)).join(' and ');
    throw new Error(`there are ${both}: say which with --kind ${TEMPLATE_KINDS.join(' or --kind ')}`);
  }
  if (first !== undefined) return first;
  const refusal = answers.find((each) => each instanceof Error);
  if (refusal !== undefined) throw refusal;
  const kinds = types.map(({ kind }) => kind).join(' or ');
  const places = templatePlaces(wanted).map(keyOf).join(' nor ');
  throw new Error(`there is no ${kinds} ${places}: \`fairlead template list -A\` shows all`);
}

/** The spec that a reference means: that of the revision it names, else the present one. */
export async function readSpec(kube: Kube, template: Template, text: string): Promise<RevisionSpec> {
  const pinned = pinnedRevision(text);
  if (pinned === undefined) return template.spec;
  const revisions = await readTemplateRevisions(kube, template);
  const revision = revisions.find((each) => each.revision === pinned);
  const spec = revision && revisionSpecOf(revision);
  if (spec !== undefined) return spec;
  const kept = revisions.map((each) => String(each.revision));
  const others = kept.length === 0 ? 'none is kept' : `kept are ${listed(kept, NAMED)}`;
  throw new Error(`${describeObject(template.kind, template.metadata)} has no revision ${pinned}: ${others}`);
}

/** The Applications of all namespaces; of one, or none, if the user may read no more. */
export async function readUsers(
  kube: Kube,
  namespace: string,
): Promise<{ readonly applications: readonly Application[]; readonly hasAll: boolean }> {
  for (const query of [{}, { namespace }]) {
    try {
      const { items } = await listAll<Application>(kube, applicationResource, query);
      return { applications: items, hasAll: !('namespace' in query) };
    } catch (error: unknown) {
      if (!isForbidden(error)) throw error;
    }
  }
  return { applications: [], hasAll: false };
}

async function listKind(kube: Kube, type: Resource, query: ListQuery): Promise<Template[] | Error> {
  try {
    const { items } = await listAll<Template>(kube, type, query);
    // The API server leaves out the kind of the items of a list.
    return items.map((item) => ({ ...item, kind: type.kind })); // of this type
  } catch (error: unknown) {
    if (isNotFound(error)) throw notInstalled(kube, error);
    if (isForbidden(error)) return error;
    throw error;
  }
}

/** The templates of both kinds, and the kinds that the user may not list. Throws if he may list neither. */
export async function listTemplates(
  kube: Kube,
  query: ListQuery,
): Promise<{ readonly templates: readonly Template[]; readonly hidden: readonly string[] }> {
  const lists = await Promise.all(TEMPLATE_RESOURCES.map((type) => listKind(kube, type, query)));
  const refusals = lists.filter((list) => list instanceof Error);
  const [first] = refusals;
  if (first !== undefined && refusals.length === lists.length) throw first;
  const hidden = TEMPLATE_KINDS.filter((_, index) => lists[index] instanceof Error);
  return { templates: lists.flatMap((list) => (list instanceof Error ? [] : list)), hidden };
}
