import type { HelmTemplateStatus } from '#api/v1alpha1/helm-template.js';
import type { Template } from '#api/v1alpha1/template.js';
import { setCondition, timestamp, withoutConditions, type NewCondition, getCondition } from '#lib/kube/conditions.js';
import { describeObject } from '#lib/net/urls.js';
import { defined } from '#lib/plain.js';
import isEqual from 'lodash/isEqual.js';
import type { Plan } from './decide.js';

/** The facts that the status of a template follows from. */
type Finding = Pick<Plan, 'violation' | 'revision' | 'usage'>;

type Draft = Omit<NewCondition, 'observedGeneration'>;

function contentText({ spec }: Template): string {
  const source = describeObject(spec.sourceRef.kind, spec.sourceRef);
  if (!('chart' in spec)) return `${spec.path ?? 'the root'} of ${source}`;
  const version = spec.chart.version === undefined ? '' : ` ${spec.chart.version}`;
  return `chart ${spec.chart.chart}${version} of ${source}`;
}

function draftsOf(template: Template, { violation, revision }: Finding): Draft[] {
  if (violation !== undefined) {
    const { reason, message } = violation;
    return ['Ready', 'Stalled'].map((type) => ({ type, status: type === 'Ready' ? 'False' : 'True', reason, message }));
  }
  const message = `revision ${revision ?? 0}: ${contentText(template)}`;
  return [{ type: 'Ready', status: 'True', reason: 'Valid', message }];
}

/** The whole status after a pass. `nowMs` is epoch milliseconds and only used for conditions whose status changes. */
export function nextStatus(template: Template, result: Finding, nowMs: number): HelmTemplateStatus {
  const { generation = 0 } = template.metadata;
  const { revision, usage } = result;
  const chartVersion = revision === undefined ? undefined : usage.chartVersionOf(revision);
  const drafts = draftsOf(template, result);
  const gone = drafts.some(({ type }) => type === 'Stalled') ? [] : ['Stalled'];
  const conditions = drafts.reduce(
    (all, draft) => setCondition(all, { ...draft, observedGeneration: generation }, timestamp(nowMs)),
    withoutConditions(template.status?.conditions ?? [], ...gone),
  );
  return {
    observedGeneration: generation,
    conditions,
    ...defined({ revision }),
    usedBy: usage.usedBy,
    ...defined({ chartVersion }),
  };
}

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
