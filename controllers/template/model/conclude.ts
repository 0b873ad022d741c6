import isEqual from 'lodash/isEqual.js';
import type { Template } from '#api/v1alpha1/template.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { Plan } from './decide.js';
import { nextStatus } from './status.js';

type Status = NonNullable<Template['status']>;

/** One event to record on the template. */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is written at the end; undefined: unchanged. */
export interface Conclusion {
  readonly template: Template;
  readonly status: Status | undefined;
  readonly events: readonly NewEvent[];
}

/** An event when the template became usable or unusable, or has a new revision. */
function eventsOf(before: Template['status'], after: Status): NewEvent[] {
  const [was, is] = [before, after].map((status) => getCondition(status?.conditions, 'Ready'));
  if (is === undefined || (was?.status === is.status && was.message === is.message)) return [];
  const isValid = is.status === 'True';
  return [{ type: isValid ? 'Normal' : 'Warning', reason: isValid ? 'Revised' : is.reason, message: is.message }];
}

/** Derives metadata, status and events from a plan and its outcomes. `nowMs` is epoch milliseconds. Never throws. */
export function conclude(plan: Plan, nowMs: number): Conclusion {
  const { template } = plan;
  const status = nextStatus(template, plan, nowMs);
  if (isEqual(template.status, status)) return { template, status: undefined, events: [] };
  return { template, status, events: eventsOf(template.status, status) };
}
