import type { ResourceType } from '#api/meta.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import type { Template } from '#api/v1alpha1/template.js';
import type { Pass } from './deps.js';
import type { Conclusion } from './model/conclude.js';

/** Writes the status whole and only over the version that it was made from. */
export async function writeStatus({ template, status, events }: Conclusion, pass: Pass): Promise<void> {
  if (status === undefined) return;
  const type: ResourceType = pass.templates.type;
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status', signal: pass.signal } as const;
  await pass.kube.update<Template>(type, { ...template, status }, options);
  for (const each of events) pass.events.record(template, each.type, each.reason, each.message);
}
