import type { Condition } from '#api/meta.js';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import { identityOf } from '#api/v1alpha1/pending.js';
import { type DestinationState, STATES } from '#api/v1alpha1/states.js';
import { getCondition } from '#lib/kube/conditions.js';
import { groupedBy } from '#lib/plain.js';
import { listed } from '#lib/text/text.js';
import { backendOf } from '../backends/index.js';
import { describeChild, describeChildren } from '../child/messages.js';
import type { Child } from '../child/types.js';
import type { Outcome, Step } from '../child/verdicts.js';
import { moves } from '../destinations/identity.js';
import type { StatusInput } from './conditions.js';
import type { Row, ShownRow } from './rows.js';

/** One event to record on the Application. */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** A reason of Ready=False that is no problem: the Application is being deleted. */
const ASKED_FOR = 'Deleting' satisfies ApplicationReason;

const TAKEN_OVER = 'Adopted';
const REASONS = {
  create: 'Created',
  update: 'Updated',
  delete: 'Deleted',
  suspend: 'DoubleSuspended',
  unmanage: 'InstalledOnce',
  offer: 'Offered',
} as const;
const VERBS: Readonly<Record<string, string>> = { [REASONS.suspend]: 'Suspended', [REASONS.unmanage]: 'Suspended' };

interface Write {
  readonly reason: string;
  readonly object: Child;
  readonly why: string;
}

type Told = Exclude<Step, { readonly op: 'keep' | 'wait' | 'spare' }>;

function isTold(step: Step): step is Told {
  if (step.op === 'offer') return step.to !== undefined;
  return step.op !== 'keep' && step.op !== 'wait' && step.op !== 'spare';
}

function writeOf({ step, child, error }: Outcome): Write | undefined {
  if (error !== undefined || !isTold(step)) return undefined;
  const object = child ?? ('object' in step ? step.object : step.live);
  const reason = step.op === 'update' && step.isAdoption ? TAKEN_OVER : REASONS[step.op];
  return { reason, object, why: step.why };
}

/** One event for all objects of a kind that were written for the same reason. */
function eventOf(writes: readonly [Write, ...Write[]]): NewEvent {
  const [{ reason, object, why }] = writes;
  const objects = writes.map((write) => write.object);
  const what = objects.length === 1 ? describeChild(object) : describeChildren(objects);
  return { type: 'Normal', reason, message: `${VERBS[reason] ?? reason} ${what}: ${why}` };
}

/** Events about successful writes; failures are reported by the conditions. */
export function writeEvents(outcomes: readonly Outcome[]): NewEvent[] {
  const writes = outcomes.flatMap((outcome) => writeOf(outcome) ?? []);
  const groups = groupedBy(writes, ({ reason, object, why }) => `${reason} ${object.kind} ${why}`);
  // A group has at least the write that made it.
  return [...groups.values()].map((group) => eventOf(group as readonly [Write, ...Write[]]));
}

function moveOf(step: Step): NewEvent[] {
  if (step.op !== 'update') return [];
  const { live, object, uninstalls, isAdoption } = step;
  // A child that is taken over may have been described in another way, and stays where it is.
  if (uninstalls === undefined && (isAdoption || !moves(live, object))) return [];
  const backend = backendOf(live);
  const message = moves(live, object)
    ? `${describeChild(live)} moves: ${backend.describeMove(live, object)}`
    : `${describeChild(live)} is uninstalled and installed again: ${backend.describePlace(live)} is removed first (${uninstalls ?? ''})`;
  return [{ type: 'Warning', reason: 'Moving', message }];
}

type Removal = Extract<Step, { op: 'delete' }>;

function isSuspended({ live }: Removal): boolean {
  return live.spec.suspend === true;
}

function removalOf({ live, why }: Removal): NewEvent {
  return { type: 'Normal', reason: 'Removing', message: `${backendOf(live).describePlace(live)} is removed: ${why}` };
}

/** One event for all suspended children of a kind. */
function suspendedRemovals(removals: readonly Removal[]): NewEvent[] {
  const groups = groupedBy(
    removals.filter(isSuspended).map(({ live }) => live),
    ({ kind }) => kind,
  );
  return [...groups.values()].map((children) => {
    const [first] = children;
    const message =
      children.length === 1 && first !== undefined
        ? `${describeChild(first)} is suspended: it is deleted, but what it installed stays`
        : `${describeChildren(children)} are suspended: they are deleted, but what they installed stays`;
    return { type: 'Warning', reason: 'SuspendedChildDeleted', message };
  });
}

/** Events before the steps: what they remove or move. */
export function plannedEvents(steps: readonly Step[]): NewEvent[] {
  const removals = steps.filter((step) => step.op === 'delete');
  const others = removals.filter((removal) => !isSuspended(removal));
  return [...steps.flatMap(moveOf), ...others.map(removalOf), ...suspendedRemovals(removals)];
}

function isNews(before: Condition | undefined, after: Condition): boolean {
  return before?.status !== after.status || before.reason !== after.reason;
}

/** An event if Ready changes to True or False, or to another reason. */
export function conditionEvents(before: readonly Condition[], after: readonly Condition[]): NewEvent[] {
  const ready = getCondition(after, 'Ready');
  if (ready === undefined || ready.status === 'Unknown' || !isNews(getCondition(before, 'Ready'), ready)) return [];
  const type = ready.status === 'True' || ready.reason === ASKED_FOR ? 'Normal' : 'Warning';
  return [{ type, reason: ready.reason, message: ready.message }];
}

/** More destinations are only counted. */
const NAMED_ROWS = 5;

type Seen = Pick<StatusInput, 'rows' | 'violation' | 'held' | 'removals'>;

function namesOf(rows: readonly Row[]): string {
  return listed(
    rows.map(({ name }) => name),
    NAMED_ROWS,
  );
}

function isNewState({ state }: Row, before: DestinationState | undefined): boolean {
  if (before === undefined || before === state) return false;
  return state === 'Ready' || STATES[state].meaning === 'bad';
}

/** One event for all rows with the same new state and message. */
function rowsEvent(rows: readonly [Row, ...Row[]]): NewEvent {
  const [{ state, message }] = rows;
  const be = rows.length === 1 ? 'is' : 'are';
  if (state === 'Ready') return { type: 'Normal', reason: 'DestinationReady', message: `${namesOf(rows)} ${be} ready` };
  return { type: 'Warning', reason: `Destination${state}`, message: `${namesOf(rows)} ${be} ${state}: ${message}` };
}

/** Events for rows whose listed state changed to Ready or to a bad one. */
function rowEvents(before: readonly ShownRow[], rows: readonly Row[]): NewEvent[] {
  const states = new Map(before.map((row) => [identityOf(row), row.state]));
  const news = rows.filter((row) => isNewState(row, states.get(identityOf(row))));
  const groups = groupedBy(news, ({ state, message }) => (state === 'Ready' ? state : `${state} ${message}`));
  // A group has at least the row that made it.
  return [...groups.values()].map((group) => rowsEvent(group as readonly [Row, ...Row[]]));
}

/**
 * Events for unwanted children that are left unchanged, unless the old status reported them. If the Application is
 * invalid as a whole, Ready reports that instead.
 */
function sparedEvents(before: ApplicationStatus | undefined, { rows, violation }: Seen): NewEvent[] {
  if (violation !== undefined) return [];
  // A truncated status may have left them out.
  if (before?.truncated !== undefined) return [];
  const told = new Map((before?.destinations ?? []).map((row) => [identityOf(row), row.message]));
  const spared = rows?.unwanted.filter(({ state }) => state !== 'Deleting') ?? [];
  const [first, ...others] = spared.filter((row) => told.get(identityOf(row)) !== row.message);
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : `; and ${others.length} more like it`;
  return [{ type: 'Warning', reason: 'Spared', message: `${first.message}${more}` }];
}

/** An event for each set of removals that waits for an approval. */
function heldEvents(before: ApplicationStatus | undefined, { held, removals }: Seen): NewEvent[] {
  if (held === undefined || removals?.approval === before?.removals?.approval) return [];
  return [{ type: 'Warning', reason: 'RemovalsHeld', message: held.message }];
}

/**
 * Events about a new status: that Ready changed, or otherwise which destinations became ready or failed. Destinations
 * that the old status did not list are skipped; rows undefined: none was observed.
 */
export function statusEvents(before: ApplicationStatus | undefined, seen: Seen, after: ApplicationStatus): NewEvent[] {
  const whole = conditionEvents(before?.conditions ?? [], after.conditions ?? []);
  const others = whole.length > 0 ? [] : rowEvents(before?.destinations ?? [], seen.rows?.wanted ?? []);
  return [...whole, ...others, ...sparedEvents(before, seen), ...heldEvents(before, seen)];
}
