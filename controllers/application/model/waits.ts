import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { backendOf } from './backends/index.js';
import { changesOf } from './changes.js';
import { childMessage } from './child-message.js';
import { waitsFor } from './clusters/gate.js';
import { currentCondition } from './current-condition.js';
import { isInstalledFor } from './once.js';
import { parseRevision } from './revisions/history.js';
import { isAt } from './digest.js';
import { stateOf } from './state.js';
import type { Child, DesiredChild, Hold } from './types.js';
import type { Outcome, Step, Wait } from './verdicts.js';

/** A destination of an entry that was not rejected, after a reconciliation. */
interface Situation {
  readonly step: Extract<Step, { readonly entry: unknown }>;
  readonly child: Child | undefined;
  /** As the spec wants it. */
  readonly wanted: DesiredChild;
  /** See `DesiredChild`. */
  readonly behind: Hold | undefined;
}

function gateWait({ child, wanted }: Situation): Hold | undefined {
  const why = child === undefined ? waitsFor(wanted.entry) : undefined;
  return why === undefined ? undefined : { reason: 'Gate', why };
}

function revisionWait({ child, wanted, behind }: Situation): Hold | undefined {
  return isAt(child, wanted) ? undefined : behind;
}

function stepWait({ step }: Situation): Hold | undefined {
  return step.op === 'wait' && step.hold !== undefined ? { reason: step.hold, why: step.why } : undefined;
}

/** What the engine waits for with a child that is written as it is wanted. */
function engineWait({ child }: Situation): Hold | undefined {
  if (child === undefined) return undefined;
  const state = stateOf({ child, rejected: false, writeFailed: false });
  const why = childMessage(child, state);
  if (state === 'Suspended' || state === 'Unreachable') return { reason: state, why };
  if (state !== 'Pending') return undefined;
  const reason = currentCondition(child, 'Ready')?.reason;
  if (reason === 'DependencyNotReady') return { reason: 'Dependency', why };
  return reason === 'SourceNotReady' || backendOf(child).awaitsSource(child) ? { reason: 'Source', why } : undefined;
}

/** The first match wins. */
const TABLE = [gateWait, revisionWait, stepWait, engineWait];

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

/** The desired children of the entries that are not rejected. */
export interface Decided {
  /** As the spec wants them. */
  readonly wanted: readonly DesiredChild[];
  /** As they are to be now. */
  readonly desired: readonly DesiredChild[];
}

/**
 * What the destination of an outcome waits for; undefined: for nothing. What was rejected or failed does not wait:
 * somebody has to correct it.
 */
export function waitsIn({ wanted, desired }: Decided): (outcome: Outcome) => Wait | undefined {
  // What is at an earlier revision has the entry of that revision, at the same path.
  const byPath = new Map(wanted.map((each) => [each.entry.path, each]));
  const behind = new Map(desired.map((each) => [each.entry.path, each.behind]));
  return ({ step, child, error }) => {
    if (error !== undefined) return undefined;
    if (!('entry' in step)) return removalWait(step);
    const { path } = step.entry;
    const own = byPath.get(path);
    // What was installed once waits for nothing, whatever is pinned.
    if (own === undefined || isInstalledFor(own.entry, child)) return undefined;
    const situation = { step, child, wanted: own, behind: behind.get(path) };
    const [hold] = TABLE.flatMap((find) => find(situation) ?? []);
    if (hold === undefined) return undefined;
    const { reason, why: message } = hold;
    return { reason, message, from: numberOn(child), to: numberOn(own.object), change: () => changeFor(child, own) };
  };
}
