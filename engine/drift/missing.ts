import isEqual from 'lodash/isEqual.js';
import pLimit from 'p-limit';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { listAll } from '#runtime/client/kube.js';
import { groupedBy } from '#lib/plain.js';
import type { Member } from '../member/member.js';
import { isInterruption, isMemberFailure } from '../member/member-failure.js';
import type { ObjectTarget } from '../member/model/inventory.js';

const PARALLEL = 8;

/** Which objects exist. */
export interface Absence {
  /** The server said that they do not exist, in the order of the question. */
  readonly missing: readonly ObjectTarget[];
  /** How many could not be looked for. They are not missing. */
  readonly unknown: number;
}

interface Question {
  readonly member: Pick<Member, 'kube' | 'servedType'>;
  /** Objects with it need no request of their own. */
  readonly labelSelector: string;
  readonly signal: AbortSignal;
}

/** Throws what is not about these objects. True if nothing more is to be asked. */
function endsSearch(error: unknown): boolean {
  if (isInterruption(error)) throw error;
  return isMemberFailure(error);
}

class Search {
  readonly missing = new Set<ObjectTarget>();
  readonly #question: Question;
  readonly #limit = pLimit(PARALLEL);
  unknown = 0;
  #hasEnded = false;

  constructor(question: Question) {
    this.#question = question;
  }

  /** The names of a list; a list that is forbidden leaves the question to single requests. */
  async #listed(type: ResourceType, namespace: string | undefined): Promise<ReadonlySet<string>> {
    const { member, labelSelector, signal } = this.#question;
    const query = { namespace, labelSelector, metadataOnly: true, signal };
    try {
      const { items } = await this.#limit(() => listAll<KubeObject>(member.kube, type, query));
      return new Set(items.map(({ metadata }) => metadata.name));
    } catch (error: unknown) {
      this.#hasEnded ||= endsSearch(error);
      return new Set();
    }
  }

  async #isThere(type: ResourceType, { name, namespace }: ObjectTarget): Promise<boolean> {
    const { member, signal } = this.#question;
    return (await this.#limit(() => member.kube.get(type, { name, namespace }, { signal }))) !== undefined;
  }

  async #lookFor(type: ResourceType, target: ObjectTarget): Promise<void> {
    try {
      if (this.#hasEnded) this.unknown += 1;
      else if (!(await this.#isThere(type, target))) this.missing.add(target);
    } catch (error: unknown) {
      this.#hasEnded ||= endsSearch(error);
      this.unknown += 1;
    }
  }

  /** Objects of one kind in one namespace. */
  async lookForAll(targets: readonly ObjectTarget[]): Promise<void> {
    const [first] = targets;
    if (first === undefined) return;
    const { member, signal } = this.#question;
    const typeOf = (afresh: boolean): Promise<ResourceType> =>
      member.servedType(first.apiVersion, first.kind, { signal, afresh });
    try {
      const type = await typeOf(false);
      const listed = targets.length > 1 ? await this.#listed(type, first.namespace) : new Set();
      const open = targets.filter(({ name }) => !listed.has(name));
      await Promise.all(open.map((target) => this.#lookFor(type, target)));
      const lacking = open.filter((target) => this.missing.has(target));
      if (lacking.length === 0) return;
      // By an old answer of the discovery, all objects of a kind would be gone once a version is not served any more.
      const served = await typeOf(true);
      if (isEqual(served, type)) return;
      for (const target of lacking) this.missing.delete(target);
      await Promise.all(lacking.map((target) => this.#lookFor(served, target)));
    } catch (error: unknown) {
      this.#hasEnded ||= endsSearch(error);
      for (const target of targets) this.missing.delete(target);
      this.unknown += targets.length;
    }
  }
}

/**
 * Finds out which objects do not exist, with one list for each kind and namespace, and one request for each object that
 * is alone there or that the list lacks. Writes nothing. `targets` must have their namespaces. Throws what ends a
 * reconciliation; other errors, and kinds that are not served, leave the objects unknown.
 */
export async function findMissing(question: Question, targets: readonly ObjectTarget[]): Promise<Absence> {
  const search = new Search(question);
  const groups = groupedBy(targets, ({ apiVersion, kind, namespace = '' }) => `${apiVersion} ${kind} ${namespace}`);
  await Promise.all([...groups.values()].map((group) => search.lookForAll(group)));
  return { missing: targets.filter((target) => search.missing.has(target)), unknown: search.unknown };
}
