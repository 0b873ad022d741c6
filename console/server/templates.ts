import type { UserInfo } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import { TEMPLATE_RESOURCES, type Template, type TemplateKind } from '#api/v1alpha1/template.js';
import type { Cache } from '#runtime/controller.js';
import { templateKey } from '../shared/template-item.js';
import type { ApplicationRoutes } from './applications.js';
import { Namespaces } from './namespaces.js';
import {
  BY_NAMESPACE,
  mayDo,
  mayEach,
  mustList,
  readableAt,
  readableNamespaces,
  type Place,
  type ReadableAll,
} from './readable.js';
import { visibleNamespaces, type ReadingAll } from './visible.js';

/** Index of the cache of Applications: by the templates that they use. */
export const BY_TEMPLATE = 'template';

/** The templates of one kind, as the server caches them. */
export type TemplateCache = Pick<Cache<Template>, 'type' | 'get' | 'list' | 'byIndex' | 'recordWrite' | 'onChange'>;

export interface TemplateRoutes extends ApplicationRoutes {
  /** One for each kind. */
  readonly templates: readonly TemplateCache[];
}

export interface TemplatePlace extends Place {
  readonly kind: TemplateKind;
}

/** Shared templates about which one request may ask one by one. */
const MOST_ASKED = 200;

/** Of the two kinds. */
export function templateTypeOf(kind: string): (typeof TEMPLATE_RESOURCES)[number] {
  return TEMPLATE_RESOURCES.find((type) => type.kind === kind) ?? TEMPLATE_RESOURCES[0];
}

/** What routes read templates from. */
export interface Templates {
  readonly kinds: readonly ReadableAll<Template>[];
}

export function templatesOf({ templates, access }: TemplateRoutes): Templates {
  return {
    kinds: templates.map((cache) => ({ type: cache.type, cache, access, namespaces: new Namespaces(cache) })),
  };
}

/** Shared by its owner with others: the oldest first, so that nobody's new ones push them out. */
function sharedOnes(templates: readonly Template[]): Template[] {
  const shared = templates.filter(({ spec }) => spec.sharedWith !== undefined);
  const order = ({ metadata }: Template): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
  return shared.sort((one, other) => (order(one) < order(other) ? -1 : 1)).slice(0, MOST_ASKED);
}

/**
 * Those of one kind in the namespaces where he may list them, and of others those that are shared, and that he may get
 * by name.
 */
async function readableOnes(readable: ReadableAll<Template>, user: UserInfo): Promise<Template[]> {
  const { namespaces } = await readableNamespaces(readable, user);
  const all = readable.cache.list();
  if (namespaces === undefined) return all;
  const isListed = ({ metadata }: Template): boolean => namespaces.has(metadata.namespace ?? '');
  const shared = sharedOnes(all.filter((template) => !isListed(template)));
  const places = shared.map(({ metadata: { name, namespace = '' } }) => ({ namespace, name }));
  const mayGet = await mayEach(readable, user, 'get', places);
  return [...all.filter(isListed), ...shared.filter((_, index) => mayGet[index])];
}

/** All templates that he may read. */
export async function visibleTemplates({ kinds }: Templates, user: UserInfo): Promise<Template[]> {
  return (await Promise.all(kinds.map((each) => readableOnes(each, user)))).flat();
}

/** Those of a namespace, of the kinds that he may list there. Throws a Refusal (403) if these are none. */
export async function visibleTemplatesIn({ kinds }: Templates, user: UserInfo, namespace: string): Promise<Template[]> {
  const mayList = await Promise.all(kinds.map((each) => mayDo(each, user, 'list', { namespace })));
  const [first] = kinds;
  if (first !== undefined && !mayList.includes(true)) await mustList(first, user, namespace);
  return kinds.filter((_, index) => mayList[index]).flatMap(({ cache }) => cache.byIndex(BY_NAMESPACE, namespace));
}

/** The template, if he may read it. Throws a Refusal, as for an Application. */
export function visibleTemplate(
  { kinds }: Templates,
  user: UserInfo,
  { kind, namespace, name }: TemplatePlace,
): Promise<Template> {
  const { plural } = templateTypeOf(kind);
  const readable = kinds.find(({ type }) => type.plural === plural);
  if (readable === undefined) throw new TypeError(`${kind} is not cached`);
  return readableAt(readable, user, { namespace, name });
}

export interface Users {
  readonly applications: readonly Application[];
  /** How many more there are, which he may not list. */
  readonly hidden: number;
}

/** The Applications that use a template, as far as he may list them. */
export async function visibleUsers(reading: ReadingAll, user: UserInfo, template: Template): Promise<Users> {
  const { kind, metadata } = template;
  const all = reading.applications.byIndex(BY_TEMPLATE, templateKey(kind, metadata));
  const { namespaces } = await visibleNamespaces(reading, user);
  const applications = all.filter(({ metadata: { namespace } }) => namespaces?.has(namespace ?? '') !== false);
  return { applications, hidden: all.length - applications.length };
}
