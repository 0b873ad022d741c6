import pLimit from 'p-limit';
import type { PlannedChange } from '#api/dry-run.js';
import type { KustomizationStatus } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { objectChange } from '../../dry-run/change-set.js';
import { comparedContent } from '../../engine/apply/compare.js';
import { recordFailure, type Failures } from '../../engine/apply/member-failure.js';
import { definedKinds } from '../../engine/apply/model/crd.js';
import { groupKindOf, inventoryEntry, subjectOf, targetOf } from '../../engine/apply/model/inventory.js';
import { dryRunMember } from '../../engine/member/dry-run-member.js';
import type { Result } from '../../runtime/controller.js';
import { reasonText } from '../shared/failure.js';
import type { Conclusion } from '../shared/model/conclusion.js';
import { concludeDryRun, concludeDryRunError, concludeFailedDryRun } from '../shared/model/dry-run.js';
import { isUnknownKind, refuseInterruption } from '../shared/objects.js';
import { reconcileInPhases } from '../shared/reconcile.js';
import type { Pass } from './deps.js';
import { look, type Look, type LookRequest } from './look.js';
import { decide } from './model/decide.js';
import { hidesValues, takesAlong, whyUnasked, type CreatedFirst } from './model/dry-run.js';
import { ownerOf } from './model/objects.js';
import { stagesOf } from './model/stages.js';
import { retryMs } from './model/timing.js';
import type { Synchronization } from './model/types.js';
import { observe } from './observe.js';
import { prepare, type SyncPass } from './prepare.js';
import { dryPrune } from './prune.js';
import { validate } from './validate.js';
import { momentOf } from './write-status.js';

const PARALLEL = 8;

/** What applying and pruning would change. */
interface Found {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
}

interface Progress extends Failures {
  /** In the order of the plan; undefined stays as it is. */
  readonly changes: (PlannedChange | undefined)[];
  readonly createdFirst: CreatedFirst & { readonly kinds: Set<string>; readonly namespaces: Set<string> };
}

function noteOf({ action, takesOver, refusal }: Look): string | undefined {
  if (action === 'recreated') return reasonText(refusal);
  return takesOver === true
    ? 'fields that were set with kubectl and that the source lacks are removed, too'
    : undefined;
}

/** What was looked at, as the status shows it: the live object and the answer are not held any longer. */
function changeOf(looked: Look, hides: boolean): PlannedChange | undefined {
  const { object, action, difference } = looked;
  if (action === 'unchanged' || action === 'skipped') return undefined;
  const compared = difference && comparedContent(difference.live, difference.dryRun, object);
  const done = action === 'configured' ? 'changed' : action;
  return objectChange({ action: done, object, compared, hidesValues: hides, message: noteOf(looked) });
}

class DryRunOfObjects {
  readonly #request: LookRequest;
  readonly #hides: boolean;
  readonly #ownKinds: ReadonlySet<string>;
  readonly #progress: Progress;

  constructor(request: LookRequest, { objects }: Pick<Synchronization, 'objects'>, hides: boolean) {
    this.#request = request;
    this.#hides = hides;
    this.#ownKinds = definedKinds(objects);
    const createdFirst = { kinds: new Set<string>(), namespaces: new Set<string>() };
    this.#progress = { changes: [], failures: [], stopped: false, createdFirst };
  }

  async run({ objects }: Pick<Synchronization, 'objects'>): Promise<Found> {
    const limit = pLimit(PARALLEL);
    // Stage by stage: what comes first decides whether the cluster can be asked about the rest.
    for (const { groups } of stagesOf(objects)) {
      const found = await Promise.all(groups.flat().map((object) => limit(() => this.#ask(object))));
      this.#progress.changes.push(...found);
    }
    refuseInterruption(this.#progress.failures);
    const changes = this.#progress.changes.filter((change) => change !== undefined);
    return { changes, unchanged: objects.length - changes.length };
  }

  async #ask(object: Unstructured): Promise<PlannedChange | undefined> {
    if (this.#progress.stopped) return undefined;
    const unasked = whyUnasked(object, this.#progress.createdFirst);
    if (unasked !== undefined) return objectChange({ action: 'created', object, message: unasked });
    try {
      const looked = await look(this.#request, object, { isArriving: false });
      if (looked.action === 'created' && groupKindOf(object) === '/Namespace') {
        this.#progress.createdFirst.namespaces.add(object.metadata.name);
      }
      return changeOf(looked, this.#hides);
    } catch (error: unknown) {
      return this.#failed(object, error);
    }
  }

  #failed(object: Unstructured, error: unknown): PlannedChange | undefined {
    const { createdFirst } = this.#progress;
    if (isUnknownKind(error) && this.#ownKinds.has(groupKindOf(object))) {
      createdFirst.kinds.add(groupKindOf(object));
      return objectChange({ action: 'created', object, message: whyUnasked(object, createdFirst) });
    }
    recordFailure(this.#progress, subjectOf(targetOf(object)), error);
    return objectChange({ action: 'failed', object, message: reasonText(error) });
  }
}

async function deletions({ stale, objects }: Synchronization, pass: SyncPass): Promise<PlannedChange[]> {
  if (stale.length === 0) return [];
  const { context, kustomization, log } = pass;
  const request = { context, owner: ownerOf(kustomization), intent: 'prune', log } as const;
  const { gone, changes, failures } = await dryPrune(request, stale, objects);
  refuseInterruption(failures);
  const deleted = new Set(changes.flatMap(({ id, action }) => (action === 'deleted' ? [id] : [])));
  const errors = new Map(failures.map(({ subject, error }) => [subject, error]));
  return gone.flatMap((object) => {
    const error = errors.get(subjectOf(targetOf(object)));
    if (error !== undefined)
      return [objectChange({ action: 'failed', object, message: `not deleted: ${reasonText(error)}` })];
    if (!deleted.has(inventoryEntry(object).id)) return [];
    return [objectChange({ action: 'deleted', object, message: takesAlong(object) })];
  });
}

/** What a decision would change, asked of the cluster by dry runs. Throws what ends a reconciliation. */
async function find(decision: Synchronization, pass: SyncPass): Promise<Found> {
  const { context, kustomization } = pass;
  const { spec } = kustomization;
  const dryContext = { ...context, member: dryRunMember(context.member) };
  const request = { context: dryContext, owner: ownerOf(kustomization), force: spec.force === true };
  const { changes, unchanged } = await new DryRunOfObjects(request, decision, hidesValues(spec)).run(decision);
  return { changes: [...changes, ...(await deletions(decision, pass))], unchanged };
}

/** The phases of a synchronization, except that nothing is carried out. Throws what ends the reconciliation early. */
async function computeChanges(start: Pass): Promise<Conclusion<KustomizationStatus>> {
  const pass = await prepare(start, validate(start));
  const { decision } = decide(await observe(pass));
  const { artifact, kustomization, status } = pass;
  if (decision.kind === 'reject') {
    const next = { kind: 'requeue', afterMs: retryMs(kustomization.spec) } as const;
    const failed = { moment: momentOf(pass), problem: decision, next, type: 'Warning' } as const;
    return concludeFailedDryRun(kustomization, status.current, failed);
  }
  const found = await find(decision, pass);
  return concludeDryRun(kustomization, status.current, {
    ...found,
    revision: artifact.revision,
    moment: momentOf(pass),
  });
}

/** One reconciliation that publishes what it would write, and writes nothing else. */
export function reconcileDryRun(pass: Pass): Promise<Result> {
  const { kustomization, status } = pass;
  return reconcileInPhases(pass, {
    reason: 'ReconciliationFailed',
    run: () => computeChanges(pass),
    concludeError: (failure) =>
      concludeDryRunError(kustomization, failure, { status: status.current, moment: momentOf(pass) }),
  });
}
