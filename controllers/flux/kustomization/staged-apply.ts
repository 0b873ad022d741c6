import pLimit from 'p-limit';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { isUnchanged } from '../../engine/apply/compare.js';
import { expectKinds } from '../../engine/apply/crd.js';
import { definedKinds, isCrd } from '../../engine/apply/model/crd.js';
import { groupKindOf, inventoryId, subjectOf, targetOf } from '../../engine/apply/model/inventory.js';
import { recordFailure, type Failures } from '../../engine/apply/member-failure.js';
import { resolveType } from '../../engine/apply/resolve-type.js';
import type { ChangeSet, ObjectChange } from '../../engine/apply/types.js';
import { waitForHealthy } from '../../engine/health/wait.js';
import { ConflictError, TransientError } from '../../runtime/pure/errors.js';
import { takeOverPatch } from '../../runtime/pure/managed-fields.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { isIgnored, isMerged, isOnlyCreated, type Owner } from './model/objects.js';
import { refusalOf } from './model/refusal.js';
import { stagesOf, type Stage } from './model/stages.js';
import { isTakenOver } from './model/take-over.js';
import { prepareRecreation, recreate } from './recreate.js';

const PARALLEL = 8;
const READY_LIMIT_MS = 60_000;

export interface StagedRequest {
  readonly context: ClusterContext;
  /** In their namespaces, with the labels of their owner. */
  readonly objects: readonly Unstructured[];
  readonly owner: Owner;
  /** Objects whose immutable fields change are recreated, all of them or those that say so. */
  readonly force: boolean;
}

/** What a look at one object found to be done. */
interface Look {
  readonly object: Unstructured;
  readonly action: 'created' | 'configured' | 'unchanged' | 'skipped';
  readonly write?: () => Promise<Unstructured>;
}

/** An object that the server does not take as it is. */
interface Refused {
  readonly type: ResourceType;
  readonly object: Unstructured;
  readonly live: Unstructured | undefined;
}

interface Progress extends Failures {
  readonly changes: ObjectChange[];
  /** `group/Kind` of the CRDs among the objects. */
  readonly ownKinds: ReadonlySet<string>;
}

/** What changed since it was read is read once more; a conflict that stays is thrown. */
async function afterConflict<Out>(work: () => Promise<Out>, again: () => Promise<Out>): Promise<Out> {
  try {
    return await work();
  } catch (error: unknown) {
    if (!(error instanceof ConflictError)) throw error;
    return again();
  }
}

class StagedApply {
  readonly #request: StagedRequest;
  readonly #progress: Progress;
  readonly #limit = pLimit(PARALLEL);

  constructor(request: StagedRequest) {
    this.#request = request;
    this.#progress = { changes: [], failures: [], ownKinds: definedKinds(request.objects), stopped: false };
  }

  async run(): Promise<ChangeSet> {
    for (const stage of stagesOf(this.#request.objects)) {
      if (!(await this.#applyStage(stage))) break;
    }
    return this.#progress;
  }

  /** False when the stages that follow must not begin. */
  async #applyStage({ groups, isAwaited }: Stage<Unstructured>): Promise<boolean> {
    const looked: Look[][] = [];
    for (const group of groups) looked.push(await this.#inParallel(group, (object) => this.#look(object)));
    // Nothing of a stage is written that is refused in part.
    if (this.#hasFailed()) return false;
    for (const looks of looked) await this.#inParallel(looks, (look) => this.#carryOut(look));
    if (this.#hasFailed()) return false;
    if (isAwaited) await this.#awaitReady(looked.flat());
    return !this.#hasFailed();
  }

  #hasFailed(): boolean {
    return this.#progress.failures.length > 0;
  }

  async #inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out | undefined>): Promise<Out[]> {
    const done = await Promise.all(items.map((item) => this.#limit(() => work(item))));
    return done.filter((each) => each !== undefined);
  }

  async #look(object: Unstructured): Promise<Look | undefined> {
    if (this.#progress.stopped) return undefined;
    try {
      const look = (): Promise<Look> => this.#compare(object);
      return await afterConflict(look, look);
    } catch (error: unknown) {
      const refusal = error instanceof ConflictError ? refusalOf(error, object) : error;
      recordFailure(this.#progress, subjectOf(targetOf(object)), refusal);
      return undefined;
    }
  }

  async #compare(object: Unstructured): Promise<Look> {
    const { context } = this.#request;
    const { member, fieldManager, signal } = context;
    const type = await resolveType(context, object, this.#progress.ownKinds.has(groupKindOf(object)));
    const live = await member.kube.get<Unstructured>(type, object.metadata, { signal });
    const isLeft = isIgnored(object) || (live !== undefined && (isIgnored(live) || isOnlyCreated(object)));
    if (isLeft) return { object, action: 'skipped' };
    const write = (): Promise<Unstructured> => this.#write(type, object, live);
    const options = { fieldManager, force: true, signal };
    try {
      const dryRun = await member.kube.apply(type, object, { ...options, dryRun: true });
      if (live === undefined) return { object, action: 'created', write };
      const isSame = isUnchanged(live, dryRun, { desired: object, fieldManager });
      const isOurs = this.#takeOver(object, live) === undefined;
      return isSame && isOurs ? { object, action: 'unchanged' } : { object, action: 'configured', write };
    } catch (error: unknown) {
      return { object, action: 'configured', write: await this.#recreation({ type, object, live }, error) };
    }
  }

  async #recreation({ live, ...refused }: Refused, error: unknown): Promise<() => Promise<Unstructured>> {
    // To be read once more: see afterConflict.
    if (error instanceof ConflictError) throw error;
    const refusal = refusalOf(error, refused.object);
    if (live === undefined) throw refusal;
    const { context, owner, force } = this.#request;
    const recreation = await prepareRecreation({ context, owner, force, ...refused, live }, refusal);
    return () => recreate(recreation);
  }

  #takeOver(object: Unstructured, live: Unstructured): object[] | undefined {
    if (isMerged(object) || isMerged(live)) return undefined;
    const { fieldManager } = this.#request.context;
    return takeOverPatch(live, { manager: fieldManager, isTaken: (entry) => isTakenOver(entry, fieldManager) });
  }

  async #write(type: ResourceType, object: Unstructured, live: Unstructured | undefined): Promise<Unstructured> {
    const { member, fieldManager, signal } = this.#request.context;
    const body = live === undefined ? undefined : this.#takeOver(object, live);
    if (body !== undefined) {
      await member.kube.patch(type, object.metadata, { type: 'json', body }, { fieldManager, signal });
    }
    return member.kube.apply(type, object, { fieldManager, force: true, signal });
  }

  async #carryOut({ object, action, write }: Look): Promise<undefined> {
    if (this.#progress.stopped) return;
    const target = targetOf(object);
    const change = { id: inventoryId(target), subject: subjectOf(target), action };
    try {
      const live = await afterConflict(
        async () => write?.(),
        async () => (await this.#compare(object)).write?.(),
      );
      if (write !== undefined && isCrd(object)) expectKinds(this.#request.context.member, object);
      this.#progress.changes.push(live === undefined ? change : { ...change, live });
    } catch (error: unknown) {
      recordFailure(this.#progress, change.subject, refusalOf(error, object));
    }
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
 * One that is refused keeps its stage, and those after it, from being written. Never throws for what a cluster says.
 */
export function applyStaged(request: StagedRequest): Promise<ChangeSet> {
  return new StagedApply(request).run();
}
