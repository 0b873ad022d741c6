import type { Application } from '#api/v1alpha1/application.js';
import { LOCK_ANNOTATION } from '#api/v1alpha1/labels.js';
import { digestOf } from '#controllers/runtime/pure/digest.js';
import { contentOf } from '../revisions/content.js';
import type { KeptRevision } from '../revisions/history.js';
import type { Resolved } from '../template-use.js';
import type { Valid } from '../validate.js';
import { chooseLock, lockOf, type Found } from './choose-lock.js';
import { floatingOf, type Floating } from './floating.js';
import { floatWarning, lockWarnings } from './choose-lock.js';
import { lockedApplication, lockedFields, readLock, type Lock } from './lock.js';

/** Phases of a rollout that ended without being complete. */
const STOPPED: readonly string[] = ['RolledBack', 'Halted'];

/** What decides what floats in an Application is to mean. */
export interface LockView {
  /** Its newest revision. */
  readonly newest: KeptRevision | undefined;
  readonly find: (floating: Floating) => Found;
}

function locked(resolved: Resolved, lock: Lock): Resolved {
  return { ...resolved, application: lockedApplication(resolved.application, lock) };
}

function lockedEntries({ entries, resolved }: Valid, lock: Lock): Valid['entries'] {
  return entries.map((entry) => ({ ...entry, fields: lockedFields(entry.fields, resolved.application, lock) }));
}

/** True until the rollout of a revision is complete, rolled back, or stopped by failures. */
function isRollingOut({ status }: Application, revision: number): boolean {
  const { rollout } = status ?? {};
  if (rollout?.revision !== revision) return true;
  return rollout.completedAt === undefined && !STOPPED.includes(rollout.phase);
}

/**
 * A valid Application that is rolled out, with one meaning of what floats for all its clusters. An edit takes what it
 * means now; without one, a new meaning waits until the rollout is over. Never throws.
 */
export function lockedValid(valid: Valid, { newest, find }: LockView): Valid {
  const { resolved } = valid;
  const { application } = resolved;
  const named = application.spec.rollout === undefined ? [] : floatingOf(application);
  if (named.length === 0) return valid;
  const found = named.map((floating) => ({ floating, result: find(floating) }));
  const open = found.flatMap(({ floating, result }) =>
    'floats' in result ? [floatWarning(floating, result.floats)] : [],
  );
  const before = readLock(newest?.object.metadata.annotations?.[LOCK_ANNOTATION]);
  const isNewest = newest !== undefined && digestOf(contentOf(locked(resolved, before)) ?? null) === newest.digest;
  const goesOn = isNewest && isRollingOut(application, newest.revision);
  const held = found.flatMap(({ floating, result }) => ('floats' in result ? [] : [{ floating, found: result }]));
  const choices = chooseLock({ held, before, isRollingOut: goesOn });
  const lock = lockOf(choices);
  const warnings = [...valid.warnings, ...open, ...lockWarnings(choices)];
  if (lock === undefined) return { ...valid, choices, warnings };
  return { ...valid, choices, warnings, resolved: locked(resolved, lock), entries: lockedEntries(valid, lock) };
}
