import type { Application } from '../../api/v1alpha1/application.js';
import type { Result } from '../runtime/controller.js';
import { PartialError } from '../runtime/pure/errors.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { act } from './act.js';
import type { Pass } from './deps.js';
import { finalize } from './finalize.js';
import { willReconcileAgain, conclude } from './model/conclude.js';
import { decide } from './model/decide.js';
import { observe } from './observe.js';
import { olderClaims } from './older-claims.js';
import { validate } from './validate.js';
import { writeStatus } from './write-status.js';

function throwFailures({ metadata }: Application, errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  throw new PartialError(`${errors.length} writes for Application ${keyOf(metadata)} failed`, errors);
}

/**
 * One pass over one Application: observe, decide, act, conclude, write. Level-based: it remembers nothing of the last
 * one. Our finalizer comes with what is written last: until then the owner references of the children have the server do
 * what it would do.
 */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const application = pass.applications.get(parseKey(key));
  if (application === undefined) return {};
  if (application.metadata.deletionTimestamp !== undefined) return finalize(application, pass);
  const validation = await validate(application, pass);
  // A template that nobody has looked at yet: its status brings the next pass.
  if (validation === 'pending') return {};
  const claims = await olderClaims(application, validation, pass);
  // Nothing is awaited from the look at who holds a release until it is reserved.
  const plan = decide(observe(application, { validation, claims }, pass));
  const acted = await act(plan, pass);
  if (willReconcileAgain(plan, acted)) return {};
  await writeStatus(conclude(plan, acted, pass.now()), pass);
  throwFailures(application, acted.errors);
  return {};
}
