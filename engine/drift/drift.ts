import type { Operation } from 'fast-json-patch';
import pLimit from 'p-limit';
import type { Unstructured } from '#api/meta.js';
import { applyObjects } from '../apply/apply.js';
import { subjectOf, targetOf } from '../member/model/inventory.js';
import { type ObjectFailure, recordFailure } from '../member/member-failure.js';
import type { ApplyRequest, ChangeSet } from '../apply/types.js';
import { Turns } from '#runtime/turns.js';
import { compareObject, type Ignored } from './compare-object.js';
import { withIgnored } from './difference.js';
import type { Failures } from '../member/member-failure.js';

const PARALLEL = 8;

/** One object that drifted. */
export interface Drift {
  /** `Kind/namespace/name` */
  readonly subject: string;
  /** The desired object, with its namespace. */
  readonly object: Unstructured;
  /** Absent when the object is gone. */
  readonly live: Unstructured | undefined;
  /** What would have to change; empty when the object is gone. */
  readonly operations: readonly Operation[];
}

export interface DriftReport {
  readonly drifts: readonly Drift[];
  /** Objects that could not be compared. */
  readonly failures: readonly ObjectFailure[];
}

interface Progress extends Failures {
  readonly drifts: Drift[];
  /** Rules may take some milliseconds for each object. */
  readonly turns: Turns;
}

async function compareOne(request: ApplyRequest, object: Unstructured, ignored: Ignored): Promise<Drift | undefined> {
  const compared = await compareObject(request, object, ignored);
  const subject = subjectOf(targetOf(object));
  if (compared.kind === 'missing') return { subject, object, live: undefined, operations: [] };
  if (compared.kind !== 'different') return undefined;
  const { live, operations } = compared;
  return { subject, object, live, operations };
}

async function compareNext(
  request: ApplyRequest,
  object: Unstructured,
  { ignored, progress }: { readonly ignored: Ignored; readonly progress: Progress },
): Promise<void> {
  await progress.turns.rest();
  if (progress.stopped) return;
  try {
    const drift = await compareOne(request, object, ignored);
    if (drift !== undefined) progress.drifts.push(drift);
  } catch (error: unknown) {
    recordFailure(progress, subjectOf(targetOf(object)), error);
  }
}

/**
 * Compares live objects with what applying would make of them (a server-side dry run each); writes nothing. The objects
 * of `request` must have their namespaces. A field that they do not set, set by someone else, is not drift. Never
 * throws because of a response.
 */
export async function detectDrift(request: ApplyRequest, ignored: Ignored): Promise<DriftReport> {
  const limit = pLimit(PARALLEL);
  const progress: Progress = { drifts: [], failures: [], stopped: false, turns: new Turns() };
  await Promise.all(request.objects.map((object) => limit(() => compareNext(request, object, { ignored, progress }))));
  const order = new Map(request.objects.map((object, index) => [object, index]));
  progress.drifts.sort((a, b) => (order.get(a.object) ?? 0) - (order.get(b.object) ?? 0));
  return { drifts: progress.drifts, failures: progress.failures };
}

/** Applies what drifted, leaving ignored fields of live objects as they are. Like applyObjects. */
export function correctDrift(
  request: Omit<ApplyRequest, 'objects'>,
  drifts: readonly Drift[],
  ignored: Ignored,
): Promise<ChangeSet> {
  const objects = drifts.map(({ object, live }) =>
    live === undefined ? object : withIgnored(object, live, ignored(object) ?? []),
  );
  return applyObjects({ ...request, objects });
}
