import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import type { PendingReason } from '#api/v1alpha1/pending.js';
import { backendOf } from './backends/index.js';
import { changesOf } from './changes.js';
import { childMessage } from './child-message.js';
import { waitsFor } from './clusters/gate.js';
import { currentCondition } from './current-condition.js';
import { isInstalledFor } from './once.js';
import { parseRevision } from './revisions/history.js';
import { pinOf, type Revisions } from './revisions/pinned.js';
import { isAt } from './rollout/targets.js';
import type { Rollout } from './rollout/types.js';
import { stateOf } from './state.js';
import type { Child, DesiredChild, Outcome, Step } from './types.js';

/** What a destination waits for. */
export interface Wait {
  readonly reason: PendingReason;
  readonly message: string;
  /** Revision of the Application that it has, and the one that it waits for, if they are kept. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** What would change; computed on demand, as few of many are shown. */
  readonly change: () => string;
}

type Why = Pick<Wait, 'reason' | 'message'>;

/** A destination of an entry that was not rejected, after a reconciliation. */
interface Situation {
  readonly step: Extract<Step, { readonly entry: unknown }>;
  readonly child: Child | undefined;
  /** As the spec wants it. */
  readonly wanted: DesiredChild;
  readonly revisions: Revisions | undefined;
  readonly rollout: Rollout | undefined;
}

function gateWait({ child, wanted }: Situation): Why | undefined {
  const message = child === undefined ? waitsFor(wanted.entry) : undefined;
  return message === undefined ? undefined : { reason: 'Gate', message };
}

function pinWait({ child, wanted, revisions }: Situation): Why | undefined {
  if (revisions === undefined || isAt(child, wanted)) return undefined;
  const { problem } = revisions.pins;
  if (problem !== undefined) return { reason: 'Pinned', message: problem };
  const pin = pinOf(wanted.entry, revisions);
  return pin === undefined ? undefined : { reason: 'Pinned', message: `pinned to revision ${pin}` };
}

function rolloutWait({ child, wanted, rollout }: Situation): Why | undefined {
  const move = rollout?.moves.get(wanted.entry.path);
  if (move === undefined || isAt(child, wanted)) return undefined;
  if ('hold' in move) return { reason: move.cause, message: move.hold };
  if (move.to !== 'previous') return undefined;
  return { reason: 'RolledBack', message: rollout?.record.rolledBack?.why ?? 'the revision is rolled back' };
}

function stepWait({ step }: Situation): Why | undefined {
  return step.op === 'wait' && step.hold !== undefined ? { reason: step.hold, message: step.why } : undefined;
}

/** What the engine waits for with a child that is written as it is wanted. */
function engineWait({ child }: Situation): Why | undefined {
  if (child === undefined) return undefined;
  const state = stateOf({ child, rejected: false, writeFailed: false });
  const message = childMessage(child, state);
  if (state === 'Suspended' || state === 'Unreachable') return { reason: state, message };
  if (state !== 'Pending') return undefined;
  const reason = currentCondition(child, 'Ready')?.reason;
  if (reason === 'DependencyNotReady') return { reason: 'Dependency', message };
  return reason === 'SourceNotReady' || backendOf(child).awaitsSource(child)
    ? { reason: 'Source', message }
    : undefined;
}

/** The first match wins. */
const TABLE = [gateWait, pinWait, rolloutWait, stepWait, engineWait];

function numberOn(child: Child | undefined): number | undefined {
  return parseRevision(child?.metadata.annotations?.[APPLICATION_REVISION]);
}

function changeFor(child: Child | undefined, { object }: DesiredChild): string {
  return child === undefined ? 'installation' : changesOf(child.spec, object.spec);
}

function removalWait(step: Step): Wait | undefined {
  if (step.op !== 'spare' || step.hold === undefined) return undefined;
  const from = numberOn(step.live);
  return { reason: step.hold, message: step.why, from, change: () => 'removal' };
}

/** What decided about the destinations. */
export interface Decided {
  readonly wanted: readonly DesiredChild[];
  readonly revisions: Revisions | undefined;
  readonly rollout: Rollout | undefined;
}

/**
 * What the destination of an outcome waits for; undefined: for nothing. What was rejected or failed does not wait:
 * somebody has to correct it.
 */
export function waitsIn({ wanted, revisions, rollout }: Decided): (outcome: Outcome) => Wait | undefined {
  // What is at an earlier revision has the entry of that revision, at the same path.
  const byPath = new Map(wanted.map((each) => [each.entry.path, each]));
  return ({ step, child, error }) => {
    if (error !== undefined) return undefined;
    if (!('entry' in step)) return removalWait(step);
    const own = byPath.get(step.entry.path);
    // What was installed once waits for nothing, whatever is pinned.
    if (own === undefined || isInstalledFor(own.entry, child)) return undefined;
    const situation = { step, child, wanted: own, revisions, rollout };
    const [why] = TABLE.flatMap((find) => find(situation) ?? []);
    if (why === undefined) return undefined;
    return { ...why, from: numberOn(child), to: numberOn(own.object), change: () => changeFor(child, own) };
  };
}
