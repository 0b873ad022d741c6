import type { KubeObject, Condition } from '#api/meta.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { DryRun } from '#api/dry-run.js';
import { getCondition, setCondition, withoutConditions, type NewCondition } from '#lib/kube/conditions.js';
import { summaryText } from './change-set.js';

/**
 * True if the annotation asks for a dry run. Every value but `false` does: one that is misspelled must not write what
 * its user only wanted to see.
 */
export function asksForDryRun({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const value = metadata.annotations?.[DRY_RUN_ANNOTATION];
  return value !== undefined && value.trim().toLowerCase() !== 'false';
}

const TYPE = 'DryRun';
/** Digits of the digest that tell change sets apart for people. */
const SHORT_DIGEST = 10;

/** The part of a status that a dry run writes. */
export interface DryRunStatus {
  conditions?: Condition[];
  dryRun?: DryRun;
}

/** What a dry run reports, in its condition and in its event. */
export type Report = Pick<NewCondition, 'reason' | 'message'> & { readonly status: 'True' | 'False' };

/** The status without what an earlier dry run said; unchanged if there was none. */
export function withoutDryRun<S extends DryRunStatus>(status: S): S {
  const { dryRun, conditions = [], ...rest } = status;
  if (dryRun === undefined && getCondition(conditions, TYPE) === undefined) return status;
  // Without a field that every status may lack.
  return { ...rest, conditions: withoutConditions(conditions, TYPE) } as S;
}

function firstFailure({ objects = [] }: DryRun): string[] {
  const [first] = objects;
  if (first?.action !== 'failed') return [];
  const subject = [first.kind, first.namespace, first.name].filter((part) => part !== undefined).join('/');
  return [`${subject}: ${first.message ?? ''}`];
}

/** A change set in one line. */
export function reportOf(dryRun: DryRun): Report {
  const { action, digest, summary } = dryRun;
  const what = [...(action === undefined ? [] : [action]), summaryText(dryRun), ...firstFailure(dryRun)].join(': ');
  const short = digest.replace('sha256:', '').slice(0, SHORT_DIGEST);
  const message = `${what}; nothing is written while the annotation ${DRY_RUN_ANNOTATION} is set (change set ${short})`;
  return summary.failed === 0
    ? { status: 'True', reason: 'DryRunSucceeded', message }
    : { status: 'False', reason: 'DryRunFailed', message };
}

/** True unless the conditions say so already. */
export function isNews(conditions: readonly Condition[] | undefined, { reason, message }: Report): boolean {
  const known = getCondition(conditions, TYPE);
  return known?.reason !== reason || known.message !== message;
}

/**
 * The conditions with a report. Ready is of what is applied: it stays, and only says what nothing else has said yet.
 * `now` is RFC 3339.
 */
export function reported(
  conditions: readonly Condition[],
  report: Report,
  { generation, now }: { readonly generation: number; readonly now: string },
): Condition[] {
  const said = { ...report, type: TYPE, observedGeneration: generation };
  const ready = getCondition(conditions, 'Ready');
  const isUnknown = ready === undefined || ready.reason === TYPE;
  const unknown = { ...said, type: 'Ready', status: 'Unknown', reason: TYPE } as const;
  return setCondition(isUnknown ? setCondition(conditions, unknown, now) : conditions, said, now);
}
