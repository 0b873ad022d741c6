import omit from 'lodash/omit.js';
import pLimit from 'p-limit';
import type { Unstructured } from '#api/meta.js';
import { expectKinds } from '../../engine/apply/crd.js';
import { definedKinds, isCrd } from '../../engine/apply/model/crd.js';
import { groupKindOf, inventoryId, subjectOf, targetOf } from '../../engine/apply/model/inventory.js';
import { recordFailure, type Failures } from '../../engine/apply/member-failure.js';
import type { ChangeSet, ObjectChange } from '../../engine/apply/types.js';
import { waitForHealthy } from '../../engine/health/wait.js';
import { TransientError } from '../../runtime/pure/errors.js';
import { afterConflict, look, type Look, type LookRequest } from './look.js';
import { refusalOf } from './model/refusal.js';
import { stagesOf, type Stage } from './model/stages.js';

const PARALLEL = 8;
const READY_LIMIT_MS = 60_000;

export interface StagedRequest extends LookRequest {
  /** In their namespaces, with the labels of their owner. */
  readonly objects: readonly Unstructured[];
}

interface Progress extends Failures {
  readonly changes: ObjectChange[];
  /** `group/Kind` of the CRDs among the objects. */
  readonly ownKinds: ReadonlySet<string>;
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
      // The looks of a whole stage are held: without the answers of the server.
      return omit(await this.#lookAt(object), 'difference');
    } catch (error: unknown) {
      recordFailure(this.#progress, subjectOf(targetOf(object)), error);
      return undefined;
    }
  }

  #lookAt(object: Unstructured): Promise<Look> {
    return look(this.#request, object, { isArriving: this.#progress.ownKinds.has(groupKindOf(object)) });
  }

  async #carryOut({ object, action, write }: Look): Promise<undefined> {
    if (this.#progress.stopped) return;
    const target = targetOf(object);
    const done = action === 'recreated' ? 'configured' : action;
    const change = { id: inventoryId(target), subject: subjectOf(target), action: done };
    try {
      const live = await afterConflict(
        async () => write?.(),
        async () => (await this.#lookAt(object)).write?.(),
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
