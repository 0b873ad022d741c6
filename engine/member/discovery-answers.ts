import { splitApiVersion, type ResourceType } from '#api/meta.js';
import { answerTooLong } from '#runtime/client/answer-limits.js';
import type { Allowance, Kube } from '#runtime/client/kube.js';
import { isMap } from '#lib/plain.js';

/** No Kubernetes server serves a longer group and version, or a longer kind. */
const MAX_NAME = 317;
/** Bytes of an entry in addition to its texts. */
const OVERHEAD = 100;

/** A kind that a server serves. Nothing else of its entry is kept. */
export type ServedKind = Pick<ResourceType, 'kind' | 'plural' | 'namespaced'>;

/** True for a text as short as what Kubernetes calls a version or kind. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME;
}

function listIn(value: unknown, field: string): readonly unknown[] {
  const list: unknown = isMap(value) ? value[field] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The valid entries of an APIResourceList. The answer may have any shape. */
export function kindsIn(answer: unknown): readonly ServedKind[] {
  return listIn(answer, 'resources').flatMap((entry) => {
    const { kind, name: plural, namespaced } = isMap(entry) ? entry : {};
    return isName(kind) && isName(plural) ? [{ kind, plural, namespaced: namespaced === true }] : [];
  });
}

/** The groups and versions of an APIVersions and an APIGroupList. */
export function groupVersionsIn(core: unknown, named: unknown): readonly string[] {
  const versions = listIn(named, 'groups').flatMap((group) => listIn(group, 'versions'));
  const others = versions.map((version) => (isMap(version) ? version['groupVersion'] : undefined));
  return [...listIn(core, 'versions'), ...others].filter(isName);
}

export function findKind(kinds: readonly ServedKind[], apiVersion: string, kind: string): ResourceType | undefined {
  const found = kinds.find((served) => served.kind === kind && !served.plural.includes('/'));
  return found && { ...splitApiVersion(apiVersion), ...found };
}

/** Approximate bytes of these kinds in memory. */
export function sizeOfKinds(kinds: readonly ServedKind[]): number {
  return kinds.reduce((sum, { kind, plural }) => sum + OVERHEAD + kind.length + plural.length, OVERHEAD);
}

/** Approximate bytes of these texts in memory, which may have two bytes for each character. */
export function sizeOfNames(names: readonly string[]): number {
  return names.reduce((sum, { length }) => sum + OVERHEAD + 2 * length, OVERHEAD);
}

/** Limits how much one discovery of a server may read. Throws a TransientError `AnswerTooLong` above a limit. */
export class DiscoveryAllowance implements Allowance {
  readonly #kube: Kube;
  readonly #used = { bytes: 0, kinds: 0 };

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  take(_kind: string, bytes: number): void {
    this.#used.bytes += bytes;
    this.check('bytes', this.#used.bytes);
  }

  takeKinds(count: number): void {
    this.#used.kinds += count;
    this.check('kinds', this.#used.kinds);
  }

  check(what: 'bytes' | 'kinds' | 'groupVersions', count: number): void {
    const { server, source, limits } = this.#kube;
    const most = limits?.discovery[what] ?? Infinity;
    if (count <= most) return;
    const words = { bytes: 'bytes about the kinds', kinds: 'kinds', groupVersions: 'groups and versions' };
    throw answerTooLong(
      { attempt: 'cannot read which kinds there are', server, source },
      `more than ${most} ${words[what]}`,
    );
  }
}
