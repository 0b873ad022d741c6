import { controllerRevisionResource, type UserInfo } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Access } from '../access.js';
import type { May } from '#queries/answers/application.js';
import type { ReadTemplate } from '#queries/answers/templates.js';
import { templateTypeOf, type TemplatePlace } from '../templates.js';
import type { Place } from '../visible.js';

/** What the user may do with an Application, to offer it: each deed itself is asked about again. */
export async function mayOf(access: Access, user: UserInfo, place: Place): Promise<May> {
  const own = { group: applicationResource.group, resource: applicationResource.plural, ...place };
  const { group, plural: resource } = controllerRevisionResource;
  const revisions = { group, resource, verb: 'list', namespace: place.namespace };
  const [patch, update, remove, listRevisions] = await Promise.all([
    access.mayOffer(user, { ...own, verb: 'patch' }),
    access.mayOffer(user, { ...own, verb: 'update' }),
    access.mayOffer(user, { ...own, verb: 'delete' }),
    access.mayOffer(user, revisions),
  ]);
  return { patch, update, delete: remove, listRevisions };
}

/** The same with a template. */
export async function mayOfTemplate(
  access: Access,
  user: UserInfo,
  { kind, namespace, name }: TemplatePlace,
): Promise<ReadTemplate['may']> {
  const { group, plural: resource } = templateTypeOf(kind);
  return { patch: await access.mayOffer(user, { group, resource, verb: 'patch', namespace, name }) };
}
