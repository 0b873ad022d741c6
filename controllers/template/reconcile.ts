import { controllerRevisionResource } from '#api/core.js';
import type { ResourceType } from '#api/meta.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import type { Template } from '#api/v1alpha1/template.js';
import { parseKey } from '#lib/kube/keys.js';
import type { Result } from '#runtime/controller.js';
import type { Pass } from './deps.js';
import { conclude, type Conclusion } from './model/conclude.js';
import { decide, type Plan } from './model/decide.js';
import { observe } from './observe.js';

/** Writes the status whole and only over the version that it was made from. */
async function writeStatus({ template, status, events }: Conclusion, pass: Pass): Promise<void> {
  if (status === undefined) return;
  const type: ResourceType = pass.templates.type;
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status', signal: pass.signal } as const;
  await pass.kube.update<Template>(type, { ...template, status }, options);
  for (const each of events) pass.events.record(template, each.type, each.reason, each.message);
}

/** Makes the revision that is missing and removes those that are too old. */
async function act({ create, remove }: Plan, { kube, signal }: Pass): Promise<void> {
  if (create !== undefined) {
    await kube.create(controllerRevisionResource, create, { fieldManager: FIELD_MANAGER, signal });
  }
  for (const { metadata } of remove) {
    await kube.delete(controllerRevisionResource, metadata, { uid: metadata.uid, signal });
  }
}

/** One pass over one template: observe, decide, act, conclude, write. */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const template: Template | undefined = pass.templates.get(parseKey(key));
  if (template === undefined || template.metadata.deletionTimestamp !== undefined) return {};
  const plan = decide(await observe(template, pass));
  await act(plan, pass);
  await writeStatus(conclude(plan, pass.now()), pass);
  return {};
}
