import { isDeepStrictEqual } from 'node:util';
import type { ResourceType } from '../../api/meta.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import type { Template } from '../../api/v1alpha1/template.js';
import { getCondition } from '../runtime/pure/conditions.js';
import type { Pass } from './context.js';
import { nextStatus, type Verdict } from './model/status.js';

/** An event when the template became usable or unusable, or has a new revision. */
function tell(template: Template, status: NonNullable<Template['status']>, { events }: Pass): void {
  const [before, after] = [template.status, status].map((each) => getCondition(each?.conditions, 'Ready'));
  if (after === undefined) return;
  if (before?.status === after.status && before.message === after.message) return;
  const isValid = after.status === 'True';
  events.record(template, isValid ? 'Normal' : 'Warning', isValid ? 'Revised' : after.reason, after.message);
}

/** Writes the status if it differs, whole and only over the version that it was made from. */
export async function writeStatus(template: Template, verdict: Verdict, pass: Pass): Promise<void> {
  const status = nextStatus(template, verdict, pass.now());
  if (isDeepStrictEqual(template.status, status)) return;
  const type: ResourceType = pass.templates.type;
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status', signal: pass.signal } as const;
  await pass.kube.update<Template>(type, { ...template, status }, options);
  tell(template, status, pass);
}
