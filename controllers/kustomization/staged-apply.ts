import omit from 'lodash/omit.js';
import pLimit from 'p-limit';
import type { Unstructured } from '#api/meta.js';
import { definedKinds, isCrd } from '#engine/apply/model/crd.js';
import { groupKindOf, inventoryId, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { resolveType, expectKinds } from '#engine/apply/resolve-type.js';
import type { ChangeAction, ChangeSet, ObjectChange } from '#engine/apply/types.js';
import { waitForHealthy } from '#engine/health/wait.js';
import { apiStatusOf, ConflictError, isServerTrouble, TransientError } from '#lib/errors.js';
import { refusalOf } from '#engine/flux/model/refusal.js';
import { createIfMissing } from './create.js';
import { afterConflict, look, type Look, type LookRequest } from './look.js';
import { TakenError } from './model/neighbours.js';
import { stagesOf, type Group, type Stage } from './model/stages.js';
import { recordFailure, type Failures } from '#engine/member/member-failure.js';

const PARALLEL = 8;
const READY_LIMIT_MS = 60_000;
/** Others may write the status of an object all the time. */
const CONFLICT_ATTEMPTS = 4;

export interface StagedRequest extends LookRequest {
  /** In their namespaces, with the labels of their owner. */
  readonly objects: readonly Unstructured[];
  /** Ids of the inventory so far: everything else is expected to be new. */
  readonly known: ReadonlySet<string>;
  /** There is nothing yet that half of it could break: what does not exist is created without a dry run. */
  readonly isFirst: boolean;
  /** Called before the first write, and perhaps again. What it throws ends everything. */
  readonly beforeWrites: () => Promise<void>;
}

/** What was done, and the ids of what may have been: the cluster gave no answer. */
interface StagedChanges extends ChangeSet {
  readonly unanswered: readonly string[];
}

interface Progress extends Failures {
  readonly changes: ObjectChange[];
  readonly unanswered: string[];
  /** `group/Kind` of the CRDs among the objects. */
  readonly ownKinds: ReadonlySet<string>;
}

/** Carries out what a look found; returns what was done. Throws ConflictError, and why the server refused it. */
async function written({ object, action, write }: Look): Promise<Look['action']> {
  try {
    await write?.();
    return action;
  } catch (error: unknown) {
    throw error instanceof ConflictError ? error : refusalOf(error, object);
  }
}

class StagedApply {
  readonly #request: StagedRequest;
  readonly #progress: Progress;
  readonly #limit = pLimit(PARALLEL);
  /** New objects that exist nevertheless. */
  readonly #found = new Set<Unstructured>();

  constructor(request: StagedRequest) {
    this.#request = request;
    const ownKinds = definedKinds(request.objects);
    this.#progress = { changes: [], unanswered: [], failures: [], ownKinds, stopped: false };
  }

  async run(): Promise<StagedChanges> {
    for (const stage of stagesOf(this.#request.objects)) {
      if (!(await this.#applyStage(stage))) break;
    }
    return this.#progress;
  }

  /** False when the stages that follow must not begin. */
  async #applyStage({ groups, isAwaited }: Stage<Unstructured>): Promise<boolean> {
    const created = this.#request.isFirst ? await this.#createGroups(groups) : [];
    // Nothing that exists is changed by a stage that is refused in part.
    if (this.#hasFailed()) return false;
    const looked = await this.#lookAtGroups(groups, new Set(created.map(({ object }) => object)));
    if (this.#hasFailed()) return false;
    if (looked.flat().some(({ write }) => write !== undefined)) await this.#request.beforeWrites();
    for (const looks of looked) await this.#inParallel(looks, (look) => this.#carryOut(look));
    if (this.#hasFailed()) return false;
    if (isAwaited) await this.#awaitReady([...created, ...looked.flat()]);
    return !this.#hasFailed();
  }

  #hasFailed(): boolean {
    return this.#progress.failures.length > 0;
  }

  async #inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out | undefined>): Promise<Out[]> {
    const done = await Promise.all(items.map((item) => this.#limit(() => work(item))));
    return done.filter((each) => each !== undefined);
  }

  #isNew(object: Unstructured): boolean {
    return !this.#request.known.has(inventoryId(targetOf(object)));
  }

  #isArriving(object: Unstructured): boolean {
    return this.#progress.ownKinds.has(groupKindOf(object));
  }

  /** Creates what does not exist, without a dry run; the groups after one that is refused are not begun. */
  async #createGroups(groups: readonly Group<Unstructured>[]): Promise<Look[]> {
    const created: Look[] = [];
    await this.#request.beforeWrites();
    for (const group of groups) {
      if (this.#hasFailed()) break;
      created.push(...(await this.#inParallel(group, (object) => this.#create(object))));
    }
    return created;
  }

  /** Undefined for an object that exists, or is refused. */
  async #create(object: Unstructured): Promise<Look | undefined> {
    if (this.#progress.stopped) return undefined;
    const { context } = this.#request;
    try {
      const type = await resolveType(context, object, this.#isArriving(object));
      if ((await createIfMissing(context, type, { object, dryRun: false })) === undefined) {
        this.#found.add(object);
        return undefined;
      }
      this.#record(object, 'created');
      return { object, action: 'created' };
    } catch (error: unknown) {
      this.#recordFailedWrite(object, error);
      return undefined;
    }
  }

  async #lookAtGroups(groups: readonly Group<Unstructured>[], done: ReadonlySet<Unstructured>): Promise<Look[][]> {
    const looked: Look[][] = [];
    for (const group of groups) {
      const left = group.filter((object) => !done.has(object));
      looked.push(await this.#inParallel(left, (object) => this.#look(object)));
    }
    // Of a stage that is refused, what is unchanged is ours, and must not be forgotten.
    const kept = this.#hasFailed() ? looked.flat().filter(({ action }) => action === 'unchanged') : [];
    for (const { object } of kept) this.#record(object, 'unchanged');
    return looked;
  }

  async #look(object: Unstructured): Promise<Look | undefined> {
    if (this.#progress.stopped) return undefined;
    try {
      // The looks of a whole stage are held: without what the dry run answered.
      return omit(await this.#lookAt(object), 'difference');
    } catch (error: unknown) {
      recordFailure(this.#progress, subjectOf(targetOf(object)), error);
      return undefined;
    }
  }

  #lookAt(object: Unstructured): Promise<Look> {
    const isNew = this.#isNew(object) && !this.#found.has(object);
    return look(this.#request, object, { isArriving: this.#isArriving(object), isNew });
  }

  async #carryOut(looked: Look): Promise<undefined> {
    if (this.#progress.stopped) return;
    const { object } = looked;
    try {
      const action = await afterConflict(
        () => written(looked),
        async () => written(await this.#lookAt(object)),
        CONFLICT_ATTEMPTS,
      );
      this.#record(object, action === 'recreated' ? 'configured' : action);
    } catch (error: unknown) {
      // Any other one is told by the write, or by the second look.
      this.#recordFailedWrite(object, error instanceof ConflictError ? refusalOf(error, object) : error);
    }
  }

  #recordFailedWrite(object: Unstructured, error: unknown): void {
    const target = targetOf(object);
    const isRefused = error instanceof TakenError || (apiStatusOf(error) !== undefined && !isServerTrouble(error));
    if (!isRefused) this.#progress.unanswered.push(inventoryId(target));
    recordFailure(this.#progress, subjectOf(target), error);
  }

  #record(object: Unstructured, action: ChangeAction): void {
    const target = targetOf(object);
    if (isCrd(object) && (action === 'created' || action === 'configured')) {
      expectKinds(this.#request.context.member, object);
    }
    this.#progress.changes.push({ id: inventoryId(target), subject: subjectOf(target), action });
  }

  /** What comes later needs these: a namespace, the kind of a CRD. */
  async #awaitReady(looks: readonly Look[]): Promise<void> {
    const { member, namespace, signal } = this.#request.context;
    const objects = looks.flatMap(({ object, action }) => (action === 'skipped' ? [] : [object]));
    if (looks.every(({ action }) => action === 'unchanged' || action === 'skipped')) return;
    try {
      const wait = { member, objects, defaultNamespace: namespace, timeoutMs: READY_LIMIT_MS, signal };
      const problem = await waitForHealthy(wait);
      if (problem !== undefined) throw new TransientError(problem);
    } catch (error: unknown) {
      recordFailure(this.#progress, 'definitions', error);
    }
  }
}

/**
 * Applies objects as Flux does: definitions, classes, then the rest; a whole stage by dry run first, then what differs.
 * One that is refused keeps its stage, and those after it, from being written. A first roll-out needs no dry run for
 * what does not exist: see decision 28. Throws what `beforeWrites`
 * throws, and nothing for what a cluster says.
 */
export function applyStaged(request: StagedRequest): Promise<StagedChanges> {
  return new StagedApply(request).run();
}
