import type { ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { templatesInUse, type Template, type TemplateRevision } from '#api/v1alpha1/template.js';
import type { Change } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';

/** Index of Applications by the templates that their status says are in use. */
export const BY_TEMPLATE_IN_USE = 'template-in-use';
/** Index of ControllerRevisions by the template that owns them. */
export const BY_TEMPLATE = 'revision-template';

/** Index value of a template. */
export function templateIndexValue(
  kind: string,
  ref: { readonly namespace?: string | undefined; readonly name: string },
) {
  return `${kind}/${keyOf(ref)}`;
}

/** Index values of the templates that an Application uses. */
export function templatesToIndex(application: Application): string[] {
  const used = templatesInUse(application.status);
  return [...new Set(used.map(({ kind, namespace, name }) => templateIndexValue(kind, { namespace, name })))];
}

/** The template that a ControllerRevision belongs to. */
export function revisionOwners({ metadata }: TemplateRevision): string[] {
  const owners = metadata.ownerReferences ?? [];
  return owners.map(({ kind, name }) => templateIndexValue(kind, { namespace: metadata.namespace, name }));
}

/** A template that came, or whose spec changed: its own status is no news. */
export function templateToKeys({ type, object, previous }: Change<Template>): string[] {
  const isOld = type === 'updated' && previous?.metadata.generation === object.metadata.generation;
  return isOld ? [] : [keyOf(object.metadata)];
}

/** A ControllerRevision that went or was tampered with: the template of this type that it belongs to. */
export function revisionToKeys(resource: ResourceType, { type, object }: Change<TemplateRevision>): string[] {
  if (type === 'added') return [];
  const owners = (object.metadata.ownerReferences ?? []).filter(({ kind }) => kind === resource.kind);
  return owners.map(({ name }) => keyOf({ namespace: object.metadata.namespace, name }));
}

function usageText({ status }: Application): string {
  return JSON.stringify([templatesInUse(status), status?.revisions]);
}

/** An Application that uses another template or another version than before: the templates of this type. */
export function applicationToKeys(resource: ResourceType, { type, object, previous }: Change<Application>): string[] {
  if (type === 'updated' && previous !== undefined && usageText(previous) === usageText(object)) return [];
  const versions = previous === undefined ? [object] : [object, previous];
  const used = versions.flatMap(({ status }) => templatesInUse(status));
  return [...new Set(used.filter(({ kind }) => kind === resource.kind).map(keyOf))];
}
