import type { HelmTemplateStatus } from '#api/v1alpha1/helm-template.js';
import type { Template } from '#api/v1alpha1/template.js';
import { setCondition, timestamp, withoutConditions, type NewCondition } from '#lib/kube/conditions.js';
import { describeObject } from '#lib/net/urls.js';
import { defined } from '#lib/plain.js';
import type { Usage } from './usage.js';
import type { Violation } from './validate.js';

/** What the status of a template follows from. */
export interface Finding {
  readonly violation: Violation | undefined;
  /** Newest valid revision. */
  readonly revision: number | undefined;
  readonly usage: Usage;
}

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
