import groupBy from 'lodash/groupBy.js';
import type { Condition } from '#api/meta.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { backendOf } from './backends/index.js';
import { describeChild, describeChildren } from './messages.js';
import { moves } from './moves.js';
import type { Child } from './types.js';
import type { Outcome, Step } from './verdicts.js';

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
} as const;
const VERBS: Readonly<Record<string, string>> = { [REASONS.suspend]: 'Suspended', [REASONS.unmanage]: 'Suspended' };

interface Write {
  readonly reason: string;
  readonly object: Child;
  readonly why: string;
}

function writeOf({ step, child, error }: Outcome): Write | undefined {
  if (error !== undefined || step.op === 'keep' || step.op === 'wait' || step.op === 'spare') return undefined;
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
  const groups = groupBy(writes, ({ reason, object, why }) => `${reason} ${object.kind} ${why}`);
  // A group has at least the write that made it.
  return Object.values(groups).map((group) => eventOf(group as [Write, ...Write[]]));
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
  const groups = groupBy(
    removals.filter(isSuspended).map(({ live }) => live),
    ({ kind }) => kind,
  );
  return Object.values(groups).map((children) => {
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
