import pLimit from 'p-limit';
import type { PlannedChange } from '#api/dry-run.js';
import type { Unstructured } from '#api/meta.js';
import { apiStatusOf } from '#lib/errors.js';
import { objectChange } from '../dry-run/change-set.js';
import { definedKinds } from '../apply/model/crd.js';
import { groupKindOf, inventoryEntry, subjectOf, targetOf } from '../member/model/inventory.js';
import type { ChangeSet } from '../apply/types.js';
import type { Hiding } from './model/refusal.js';
import { refuseInterruption } from './objects.js';
import { reasonText, recordFailure, type Failures, isUnknownKind } from '../member/member-failure.js';

/** The objects that are created before an object. */
interface CreatedFirst {
  /** `group/Kind` of kinds that the cluster does not serve yet. */
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** Why the cluster cannot be asked about an object yet; undefined if it can. */
export function whyUnasked(object: Unstructured, { kinds, namespaces }: CreatedFirst): string | undefined {
  if (kinds.has(groupKindOf(object))) return 'not checked: its CRD is created first';
  const { namespace } = object.metadata;
  return namespace !== undefined && namespaces.has(namespace)
    ? 'not checked: its namespace is created first'
    : undefined;
}

const TAKES_ALONG: ReadonlyMap<string, string> = new Map([
  ['/Namespace', 'with everything in it'],
  ['apiextensions.k8s.io/CustomResourceDefinition', 'with all objects of its kind'],
]);

/** The objects that go with one that is deleted. */
export function takesAlong(object: Pick<Unstructured, 'apiVersion' | 'kind'>): string | undefined {
  return TAKES_ALONG.get(groupKindOf(object));
}

const PARALLEL = 8;

/** What would change. */
export interface Found {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
}

/** Asks the cluster about one object; undefined: it stays unchanged. Throws why the cluster rejects it. */
export type Ask = (object: Unstructured) => Promise<PlannedChange | undefined>;

class Asking {
  readonly #ask: Ask;
  readonly #ownKinds: ReadonlySet<string>;
  readonly #createdFirst = { kinds: new Set<string>(), namespaces: new Set<string>() };
  readonly #failures: Failures = { failures: [], stopped: false };

  constructor(objects: readonly Unstructured[], ask: Ask) {
    this.#ask = ask;
    this.#ownKinds = definedKinds(objects);
  }

  async run(stages: readonly (readonly Unstructured[])[]): Promise<Found> {
    const limit = pLimit(PARALLEL);
    const found: (PlannedChange | undefined)[] = [];
    for (const stage of stages) {
      found.push(...(await Promise.all(stage.map((object) => limit(() => this.#next(object))))));
    }
    refuseInterruption(this.#failures.failures);
    const changes = found.filter((change) => change !== undefined);
    return { changes, unchanged: found.length - changes.length };
  }

  async #next(object: Unstructured): Promise<PlannedChange | undefined> {
    if (this.#failures.stopped) return undefined;
    const unasked = whyUnasked(object, this.#createdFirst);
    if (unasked !== undefined) return objectChange({ action: 'created', object, message: unasked });
    try {
      const change = await this.#ask(object);
      const isNew = change?.action === 'created' && groupKindOf(object) === '/Namespace';
      if (isNew) this.#createdFirst.namespaces.add(object.metadata.name);
      return change;
    } catch (error: unknown) {
      return this.#failed(object, error);
    }
  }

  #failed(object: Unstructured, error: unknown): PlannedChange {
    if (isUnknownKind(error) && this.#ownKinds.has(groupKindOf(object))) {
      this.#createdFirst.kinds.add(groupKindOf(object));
      return objectChange({ action: 'created', object, message: whyUnasked(object, this.#createdFirst) });
    }
    recordFailure(this.#failures, subjectOf(targetOf(object)), error);
    return objectChange({ action: 'failed', object, message: reasonText(error) });
  }
}

/**
 * Asks the cluster about objects, stage by stage: what is created first decides whether it can be asked about the rest.
 * A rejected object does not stop the others. Throws what ends a reconciliation.
 */
export function askInStages(stages: readonly (readonly Unstructured[])[], ask: Ask): Promise<Found> {
  return new Asking(stages.flat(), ask).run(stages);
}

/** Why an object cannot be deleted; without the words of the server where they may quote values that are hidden. */
function undeletable(error: unknown, { hidesValues = false }: Hiding): string {
  const status = apiStatusOf(error);
  const why =
    hidesValues && status !== undefined ? `the server says ${status.reason || status.code}` : reasonText(error);
  return `cannot be deleted: ${why}`;
}

/** The result of a dry deletion, as a change set lists it. Throws what ends a reconciliation. */
export function plannedDeletions(
  objects: readonly Unstructured[],
  { changes, failures }: ChangeSet,
  hiding: Hiding = {},
): PlannedChange[] {
  refuseInterruption(failures);
  const deleted = new Set(changes.flatMap(({ id, action }) => (action === 'deleted' ? [id] : [])));
  const errors = new Map(failures.map(({ subject, error }) => [subject, error]));
  return objects.flatMap((object) => {
    const error = errors.get(subjectOf(targetOf(object)));
    const message = error === undefined ? takesAlong(object) : undeletable(error, hiding);
    if (error !== undefined) return [objectChange({ action: 'failed', object, message })];
    return deleted.has(inventoryEntry(object).id) ? [objectChange({ action: 'deleted', object, message })] : [];
  });
}
