import type { Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER, SAVED_BY_ANNOTATION } from '#api/v1alpha1/labels.js';
import { TEMPLATE_KINDS, type Template, type TemplateKind } from '#api/v1alpha1/template.js';
import type { Cache } from '#runtime/controller.js';
import { describeObject } from '#lib/net/urls.js';
import type { Pass } from './deps.js';
import type { Saved } from './model/status/conditions.js';
import { planSaving, savedName, type Saving } from './model/spec/saved-template.js';

async function release({ metadata }: Template, { type }: Cache<Template>, { kube, signal }: Pass): Promise<void> {
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion, annotations: { [SAVED_BY_ANNOTATION]: null } },
  };
  await kube.patch(type, metadata, { type: 'merge', body }, { fieldManager: FIELD_MANAGER, signal });
}

function outcome(saving: Saving, kind: TemplateKind): Saved | undefined {
  if (saving.op === 'none' || saving.op === 'release') return undefined;
  if (saving.op === 'refuse') {
    const message = `this Application cannot be saved as a ${kind}: ${saving.why}; fix this, or remove the label`;
    return { status: 'False', reason: 'TemplateNotSaved', message };
  }
  const template = saving.op === 'write' ? saving.object : saving.live;
  const object = describeObject(template.kind, template.metadata);
  if (saving.op !== 'conflict') return { status: 'True', reason: 'TemplateSaved', message: `saved as ${object}` };
  const message = `${object} exists and does not belong to this Application: delete it, or annotate it with ${SAVED_BY_ANNOTATION} to hand it over`;
  return { status: 'False', reason: 'TemplateConflict', message };
}

/** A template that is not in the cache yet belongs to somebody else, so the API server is asked before one is created. */
async function planned(
  application: Application,
  kind: TemplateKind,
  cache: Cache<Template>,
  { kube, signal }: Pass,
): Promise<{ readonly live: Template | undefined; readonly saving: Saving }> {
  const ref = { namespace: application.metadata.namespace, name: savedName(application) };
  const known = cache.get(ref);
  const saving = planSaving(application, kind, known);
  if (known !== undefined || saving.op !== 'write') return { live: known, saving };
  const live = await kube.get<Template>(cache.type, ref, { signal });
  return { live, saving: planSaving(application, kind, live) };
}

async function save(application: Application, kind: TemplateKind, pass: Pass): Promise<Saved | undefined> {
  const cache = pass.templates.byKind.get(kind);
  if (cache === undefined) return undefined;
  const { live, saving } = await planned(application, kind, cache, pass);
  if (saving.op === 'release') {
    await release(saving.live, cache, pass);
    pass.events.record(application, 'Normal', 'TemplateReleased', describeObject(kind, saving.live.metadata));
  }
  if (saving.op === 'write') {
    // One that is created in this very moment belongs to somebody else.
    const options = { fieldManager: FIELD_MANAGER, force: live !== undefined, signal: pass.signal };
    await pass.kube.apply<Template>(cache.type, saving.object, options);
    const verb = live === undefined ? 'saved' : 'changed';
    const message = `${verb} ${describeObject(kind, saving.object.metadata)}`;
    pass.events.record(application, 'Normal', 'TemplateSaved', message);
  }
  return outcome(saving, kind);
}

/**
 * Saves the Application as a template of each kind that its labels request, or releases the one that it saved. Returns
 * the condition TemplateSaved, a failure first; undefined if nothing is requested.
 */
export async function saveTemplates(application: Application, pass: Pass): Promise<Saved | undefined> {
  const results: (Saved | undefined)[] = [];
  for (const kind of TEMPLATE_KINDS) results.push(await save(application, kind, pass));
  return results.find((result) => result?.status === 'False') ?? results.find((result) => result !== undefined);
}
