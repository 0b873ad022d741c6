import type { Template } from '#api/v1alpha1/template.js';
import type { Result } from '#runtime/controller.js';
import { parseKey } from '#lib/keys.js';
import { act } from './act.js';
import type { Pass } from './deps.js';
import { conclude } from './model/conclude.js';
import { decide } from './model/decide.js';
import { observe } from './observe.js';
import { writeStatus } from './write-status.js';

/** One pass over one template: observe, decide, act, conclude, write. */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const template: Template | undefined = pass.templates.get(parseKey(key));
  if (template === undefined || template.metadata.deletionTimestamp !== undefined) return {};
  const plan = decide(await observe(template, pass));
  await act(plan, pass);
  await writeStatus(conclude(plan, pass.now()), pass);
  return {};
}
