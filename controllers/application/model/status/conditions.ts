import type { Condition } from '#api/meta.js';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { type SettledState, STATES } from '#api/v1alpha1/states.js';
import type { TemplateInUse } from '#api/v1alpha1/template.js';
import { getCondition, type NewCondition, setCondition, withoutConditions } from '#lib/kube/conditions.js';
import { shortened } from '../child/messages.js';
import type { Violation } from '../child/types.js';
import { failedBefore } from '../children/state.js';
import type { RolloutFinding } from '../rollout/status.js';
import { groupRows, type Row, type Rows } from './rows.js';

const MAX_CONDITION_MESSAGE = 1_000;
const MAX_WARNINGS = 10;
const MAX_WARNING = 400;

/** What a plan already knows of the status. */
export interface Finding {
  /** The Application as a whole is invalid. */
  readonly violation?: Violation | undefined;
  /** A referenced object does not exist; it is watched for. */
  readonly missing?: Violation | undefined;
  /** Entries that were rejected. */
  readonly rejected: readonly Violation[];
  /** For the status field of the name; appended to the message of Ready. */
  readonly warnings?: readonly string[];
  /** For the status fields of the names. */
  readonly clusters?: ApplicationStatus['clusters'];
  readonly removals?: ApplicationStatus['removals'];
  /** Removals wait for an approval. */
  readonly held?: Violation | undefined;
  /** For the status field of the name. */
  readonly history?: ApplicationStatus['history'];
  /** For the status field of the name. */
  readonly rollout?: ApplicationStatus['rollout'];
  /** For the status field of the name. */
  readonly sources?: ApplicationStatus['sources'];
  /** How far the rollout is; undefined: there is none. */
  readonly rolledOut?: RolloutFinding | undefined;
  /** It is pinned to earlier revisions. */
  readonly pinned?: Violation | undefined;
  /** For `status.templates`. */
  readonly templates?: readonly TemplateInUse[];
}

/** The input of the status of an Application. */
export interface StatusInput extends Finding {
  /** Undefined when the destinations were not observed. */
  readonly rows: Rows | undefined;
  /** The requests that were forwarded in this reconciliation. */
  readonly requests?: Readonly<Record<string, string>>;
  /** The result of saving as a template, if requested. */
  readonly saved?: Saved | undefined;
}

/** The result of saving as a template. */
export interface Saved extends Violation {
  readonly status: 'True' | 'False';
}

/** As many warnings as a status may hold. */
export function shownWarnings(warnings: readonly string[]): string[] {
  const shown = warnings.slice(0, MAX_WARNINGS).map((warning) => shortened(warning, MAX_WARNING));
  const more = warnings.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more warnings`];
}

type Draft = Omit<NewCondition, 'observedGeneration'>;

function draft(type: string, status: Condition['status'], { reason, message }: Violation): Draft {
  return { type, status, reason, message: shortened(message, MAX_CONDITION_MESSAGE) };
}

function describeRow(row: Row): string {
  return `${row.name} is ${row.state}: ${row.message}`;
}

function stalledBy({ violation, rejected, rows }: StatusInput): Violation | undefined {
  if (violation !== undefined) return violation;
  const [first] = rejected;
  if (first !== undefined) {
    return { reason: first.reason, message: [...new Set(rejected.map(({ message }) => message))].join('; ') };
  }
  const stalled = rows?.all.filter(({ state }) => state === 'Stalled').map(describeRow) ?? [];
  return stalled.length === 0 ? undefined : { reason: 'DestinationsFailed', message: stalled.join('; ') };
}

const isMoving = ({ state }: Row): boolean => STATES[state].course === 'moving';

function reconcilingBy({ missing, rows, rolledOut }: StatusInput): Violation | undefined {
  if (missing?.reason === 'Deleting') return missing;
  // A destination that waits for a missing object is not reconciling: the object may never be created.
  const moving = rows?.all.filter((row) => isMoving(row) && (missing === undefined || row.state !== 'Pending')) ?? [];
  if (moving.length > 0) return { reason: 'Progressing', message: moving.map(describeRow).join('; ') };
  return rolledOut?.reason === 'RolloutProgressing' ? rolledOut : undefined;
}

function isStuck({ state, child }: Row): boolean {
  return STATES[state].course === 'stuck' || (state === 'Suspended' && child !== undefined && failedBefore(child));
}

function unsettled({ all, wanted }: Rows): Draft | undefined {
  const failed = wanted.filter(isStuck);
  if (failed.length > 0) {
    return draft('Ready', 'False', { reason: 'DestinationsFailed', message: failed.map(describeRow).join('; ') });
  }
  const moving = all.filter(isMoving);
  if (moving.length === 0) return undefined;
  return draft('Ready', 'Unknown', { reason: 'DestinationsNotReady', message: moving.map(describeRow).join('; ') });
}

/** States that are no problem, but not Ready either, in words. */
const RESTING = {
  Suspended: 'suspended',
  Unmanaged: 'installed once',
} as const satisfies Readonly<Record<Exclude<SettledState, 'Ready'>, string>>;
const RESTING_STATES = Object.keys(RESTING) as (keyof typeof RESTING)[]; // the literal has no other keys

/** Undefined if all destinations are Ready. */
function restingDraft({ wanted }: Rows): Draft | undefined {
  const counts = RESTING_STATES.map((state) => {
    return { state, words: RESTING[state], count: wanted.filter((row) => row.state === state).length };
  }).filter(({ count }) => count > 0);
  const [first, ...others] = counts;
  if (first === undefined) return undefined;
  if (first.count === wanted.length) {
    const message = `${wanted.length === 1 ? 'the destination is' : `all ${wanted.length} destinations are`} ${first.words}`;
    return draft('Ready', 'True', { reason: first.state, message });
  }
  const resting = counts.reduce((sum, { count }) => sum + count, 0);
  const parts = [`${first.count} of ${wanted.length} destinations are ${first.words}`];
  parts.push(...others.map(({ count, words }) => `${count} ${count === 1 ? 'is' : 'are'} ${words}`));
  if (resting < wanted.length) parts.push('the others are ready');
  return draft('Ready', 'True', { reason: 'AllReady', message: parts.join(', ') });
}

/** Nobody knows yet whether all destinations will have the revision; of one that was stopped, it is known. */
function rolloutDraft({ reason, message }: RolloutFinding): Draft {
  const isStopped = reason === 'RolledBack' || reason === 'RolloutHalted';
  return draft('Ready', isStopped ? 'False' : 'Unknown', { reason, message });
}

/** Only selectors may have no destination; that is no failure, but somebody should know. */
const NO_DESTINATION: Violation = { reason: 'NoClusterMatches', message: 'there is no destination' };

function readyAll({ wanted: { length: count } }: Rows, clusters: StatusInput['clusters']): Draft {
  if (count === 0 && clusters !== undefined) return draft('Ready', 'False', NO_DESTINATION);
  const message = count === 1 ? 'the destination is ready' : `all ${count} destinations are ready`;
  return draft('Ready', 'True', { reason: 'AllReady', message });
}

/** Nothing gets what the spec says, nor what the pin was meant to be. */
function pinProblem(pinned: StatusInput['pinned']): Violation | undefined {
  return pinned?.reason === 'RevisionUnknown' ? pinned : undefined;
}

function readyDraft(
  { missing, rolledOut, pinned, clusters, rows = groupRows([]) }: StatusInput,
  stalled: Violation | undefined,
): Draft {
  const problem = stalled ?? missing ?? pinProblem(pinned);
  if (problem !== undefined) return draft('Ready', 'False', problem);
  const open = unsettled(rows);
  if (open !== undefined) return open;
  if (rolledOut?.status === 'False') return rolloutDraft(rolledOut);
  return restingDraft(rows) ?? readyAll(rows, clusters);
}

/** A spec that is refused is rolled out nowhere, whatever became of the one before. */
function rolledOutDraft(before: readonly Condition[], { violation, rolledOut }: StatusInput): Draft[] {
  if (rolledOut !== undefined) return [draft('RolledOut', rolledOut.status, rolledOut)];
  const isKnown = violation !== undefined && getCondition(before, 'RolledOut') !== undefined;
  return isKnown ? [draft('RolledOut', 'False', violation)] : [];
}

/**
 * The conditions after a reconciliation: always Ready; Reconciling and Stalled only while they are true, as in kstatus.
 * Transition times change only with the status of a condition. `now` is RFC 3339.
 */
export function nextConditions(
  before: readonly Condition[],
  input: StatusInput,
  { generation, now }: { readonly generation: number; readonly now: string },
): Condition[] {
  const stalled = stalledBy(input);
  const reconciling = input.violation === undefined ? reconcilingBy(input) : undefined;
  const ready = readyDraft(input, stalled);
  const { violation, saved, warnings = [], held, pinned } = input;
  const drafts = [
    { ...ready, message: [ready.message, ...shownWarnings(warnings)].join('; ') },
    ...(held === undefined ? [] : [draft('RemovalsHeld', 'True', held)]),
    ...rolledOutDraft(before, input),
    ...(pinned === undefined ? [] : [draft('Pinned', 'True', pinned)]),
    ...(saved === undefined ? [] : [draft('TemplateSaved', saved.status, saved)]),
    ...(reconciling === undefined ? [] : [draft('Reconciling', 'True', reconciling)]),
    ...(stalled === undefined ? [] : [draft('Stalled', 'True', stalled)]),
  ];
  const gone = [
    'Reconciling',
    'Stalled',
    ...(violation === undefined ? ['TemplateSaved', 'RemovalsHeld', 'Pinned', 'RolledOut'] : []),
  ].filter((type) => !drafts.some((each) => each.type === type));
  return drafts.reduce(
    (conditions, each) => setCondition(conditions, { ...each, observedGeneration: generation }, now),
    withoutConditions(before, ...gone),
  );
}
