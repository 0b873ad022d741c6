import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { REVISION_OF_LABEL } from '#api/v1alpha1/labels.js';
import { TEMPLATE_KINDS, TEMPLATE_RESOURCES, type Template } from '#api/v1alpha1/template.js';
import { planSaving } from '#controllers/application/model/spec/saved-template.js';
import { isMap } from '#lib/plain.js';

/** What the API server would give to an Application. */
const NO_UID = '00000000-0000-0000-0000-000000000000';

/** In these, a null deletes what a lower layer has; everywhere else it is not kept. */
const KEEPS_NULLS = 'values';

/** As the API server stores it: a null means that the field is not set. */
export function withoutNulls<T>(value: T): T;
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item));
  if (!isMap(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, name === KEEPS_NULLS ? field : withoutNulls(field)]));
}

export function isApplication(object: KubeObject): object is Application {
  return object.kind === 'Application' && object.apiVersion.startsWith('gitops.kubesphere.io/');
}

function isTemplate(object: KubeObject): object is Template {
  return TEMPLATE_RESOURCES.some(
    ({ group, kind }) => kind === object.kind && object.apiVersion.startsWith(`${group}/`),
  );
}

/** The templates that Applications save. */
function savedBy(objects: readonly KubeObject[]): Template[] {
  return objects.filter(isApplication).flatMap((application) =>
    TEMPLATE_KINDS.flatMap((kind) => {
      const saving = planSaving(application, kind, undefined);
      return saving.op === 'write' ? [saving.object] : [];
    }),
  );
}

/** A template as it is once its controller took it for valid, and the revision that it made of it. */
function published(template: Template): KubeObject[] {
  if (template.status?.revision !== undefined) return [template];
  const { kind, apiVersion, metadata, spec } = template;
  const uid = metadata.uid ?? `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
  const ready = { type: 'Ready', status: 'True', reason: 'Valid', message: '', lastTransitionTime: '' };
  const status = { observedGeneration: metadata.generation ?? 1, revision: 1, conditions: [ready] };
  const revision = {
    ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: 1, data: { spec } },
    metadata: {
      ...{ name: `${metadata.name}-1`, namespace: metadata.namespace, labels: { [REVISION_OF_LABEL]: kind } },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid }],
    },
  };
  const complete = { ...template, metadata: { ...metadata, uid }, status };
  return [complete, revision];
}

/** The objects as a cluster would have them once its controllers had seen them. */
export function completed(objects: readonly KubeObject[]): KubeObject[] {
  const stored = objects.map((object) => {
    const isOurs = isApplication(object) || isTemplate(object);
    const plain = isOurs ? withoutNulls(object) : object;
    return isApplication(plain) ? { ...plain, metadata: { uid: NO_UID, ...plain.metadata } } : plain;
  });
  const own = stored.filter(isTemplate).map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
  const saved = savedBy(stored).filter(
    ({ kind, metadata }) => !own.includes(`${kind}/${metadata.namespace}/${metadata.name}`),
  );
  return [...stored, ...saved].flatMap((object) => (isTemplate(object) ? published(object) : [object]));
}
