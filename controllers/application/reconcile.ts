import type { Application } from '../../api/v1alpha1/application.js';
import { asksForDryRun } from '../dry-run/asked.js';
import type { Result } from '../runtime/controller.js';
import { PartialError } from '../runtime/pure/errors.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { act } from './act.js';
import type { Pass } from './deps.js';
import { publishDryRun } from './dry-run.js';
import { finalize } from './finalize.js';
import { conclude } from './model/conclude.js';
import { decide, type Plan } from './model/decide.js';
import { observe, observeWanted } from './observe.js';
import { writeStatus } from './write-status.js';

function throwFailures({ metadata }: Application, errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  throw new PartialError(`${errors.length} writes for Application ${keyOf(metadata)} failed`, errors);
}

/** Acts and writes the status: the same for a roll-out and a deletion. */
async function carryOut(plan: Plan, pass: Pass): Promise<void> {
  const acted = await act(plan, pass);
  if (acted.incomplete) return;
  await writeStatus(conclude(plan, acted, pass.now()), pass);
  throwFailures(plan.application, acted.errors);
}

/**
 * Reconciles one Application: observe, decide, act, conclude, write status. Level-based: nothing is remembered between
 * reconciliations. Our finalizer is added just before the first status (before the first child if the policy is Orphan):
 * until then the API server deletes the children by their owner references.
 */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const application = pass.applications.get(parseKey(key));
  if (application === undefined) {
    pass.unmatched.forget(key);
    return {};
  }
  if (application.metadata.deletionTimestamp !== undefined) {
    const deletion = await finalize(application, pass);
    if (deletion !== undefined) await carryOut(deletion, pass);
    return {};
  }
  const wanted = await observeWanted(application, pass);
  // The template has no status yet; its first one triggers the next reconciliation.
  if (wanted === 'pending') return {};
  if (wanted.isOutdated()) {
    // Whether its clusters matched all the time is not known.
    pass.unmatched.forget(key);
    return { requeueAfterMs: 0 };
  }
  // No await between observing who holds a release and reserving it.
  const plan = decide(observe(application, wanted, pass));
  pass.unmatched.remember(key, plan.leaving, pass.now());
  await (asksForDryRun(application) ? publishDryRun(plan, pass) : carryOut(plan, pass));
  const waits = [plan.retryAfterMs, wanted.retryAfterMs].filter((each) => each !== undefined);
  return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
}
