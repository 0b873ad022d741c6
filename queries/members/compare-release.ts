import pLimit from 'p-limit';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { ignoreRules } from '#controllers/helmrelease/validate.js';
import { FIELD_MANAGER } from '#controllers/helmrelease/model/ownership.js';
import { hidesValues } from '#controllers/helmrelease/model/secret-values.js';
import { compareObject, type Comparison, type Ignored } from '#engine/drift/compare-object.js';
import { refusalOf, type Hiding } from '#engine/flux/model/refusal.js';
import { currentTarget } from '#engine/flux/model/release-target.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { Member } from '#engine/member/member.js';
import { inNamespace, type ObjectTarget, targetOf } from '#engine/member/model/inventory.js';
import { parseJson } from '#lib/json/lossless-json.js';
import type { Kube } from '#runtime/client/kube.js';
import { answerOf } from '#runtime/isolation/offload.js';
import { Turns } from '#runtime/turns.js';
import { worstCompared } from '../views/live-diff-view.js';
import type { ComparedObject, LiveDiffFindings } from '../answers/members.js';
import type { ReachedChild, Reader } from './child-member.js';
import { comparedObject, differingObject } from './compared-object.js';
import { problemOf } from './read-destination.js';
import type { StoredRelease } from './stored-release.js';
import { readRevision } from './stored-revision.js';
import { type WantedObjects, wantedObjectsTask, type WantedQuestion } from './wanted-objects.js';
import { isMemberFailure } from '#engine/member/member-failure.js';

const AT_ONCE = 4;
/** More than objects of Kubernetes are stored with. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Of the fields of all objects: others are only counted. */
const MAX_CHARACTERS = 1024 * 1024;

interface Wanted {
  /** As the release is applied: nothing is changed. */
  readonly member: Member;
  /** Of objects that name none. */
  readonly namespace: string;
  readonly ignored: Ignored;
  readonly signal: AbortSignal;
  /** A cluster that refuses an object quotes its values. */
  readonly hiding: Hiding;
  /** Whose address is not told. */
  readonly host: Kube;
}

/** What is stored may be anything: without a name, the whole kind would be meant. */
function isNamed({ apiVersion, kind, name }: Record<'apiVersion' | 'kind' | 'name', unknown>): boolean {
  return [apiVersion, kind, name].every((each) => typeof each === 'string' && each !== '');
}

/** Objects one by one, each held only until it is compared. */
class Comparing {
  /** Why no more objects are compared; empty: all were. */
  problem = '';
  #left = MAX_CHARACTERS;
  readonly #turns = new Turns();
  readonly #wanted: Wanted;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  async compare(object: Unstructured): Promise<ComparedObject> {
    const unplaced = { ...targetOf(object), namespace: object.metadata.namespace ?? this.#wanted.namespace };
    if (this.problem !== '') return comparedObject(unplaced, 'unreadable');
    if (!isNamed(unplaced)) return comparedObject(unplaced, 'unreadable', { message: 'it has no kind or no name' });
    // Rules may take some milliseconds for each object.
    await this.#turns.rest();
    try {
      const placed = await this.#placed(object);
      return this.#shown(targetOf(placed), await this.#compared(placed));
    } catch (error: unknown) {
      if (isMemberFailure(error)) this.problem ||= problemOf(error, this.#wanted.host);
      const message = isMemberFailure(error)
        ? ''
        : problemOf(refusalOf(error, object, this.#wanted.hiding), this.#wanted.host);
      return comparedObject(unplaced, 'unreadable', { message });
    }
  }

  async #placed(object: Unstructured): Promise<Unstructured> {
    const { member, namespace, signal } = this.#wanted;
    const { namespaced } = await member.resourceType(object.apiVersion, object.kind, { signal });
    return inNamespace(object, namespaced ? namespace : undefined);
  }

  #compared(object: Unstructured): Promise<Comparison> {
    const { member, ignored, signal } = this.#wanted;
    const request = { member, fieldManager: FIELD_MANAGER, signal, maxBytes: MAX_BYTES };
    return compareObject(request, object, ignored);
  }

  #shown(target: ObjectTarget, compared: Comparison): ComparedObject {
    if (compared.kind === 'left') {
      return comparedObject(target, 'ignored', { message: 'it is being deleted, or what differs does not count' });
    }
    if (compared.kind !== 'different') return comparedObject(target, compared.kind);
    const shown = differingObject(target, compared, { fields: this.#left > 0 });
    for (const { path, wanted = '', live = '' } of shown.fields)
      this.#left -= path.length + wanted.length + live.length;
    return shown;
  }
}

/** What the revision wants. Throws an Error that says why it cannot be read. */
async function wantedOf({ data, namespace, where }: StoredRelease, releaseName: string, reader: Reader) {
  const question: WantedQuestion = { data, namespace, releaseName };
  const answer = reader.offload.run(wantedObjectsTask, JSON.stringify(question), reader.namespace);
  const found = await answerOf<WantedObjects>(answer, ({ message }) => ({ problem: message }), parseJson);
  if ('problem' in found) throw new Error(`${where}: ${found.problem}`);
  return found;
}

/** The objects of a release as Helm stored them, with those of its cluster. Throws why they cannot be read. */
export async function compareRelease(
  release: HelmRelease,
  reached: ReachedChild,
  reader: Reader,
): Promise<LiveDiffFindings> {
  const { helm, stored } = await readRevision(release, reached, reader);
  const { releaseName = '' } = currentTarget(release) ?? {};
  const { objects, more } = await wantedOf(stored, releaseName, reader);
  const comparing = new Comparing({
    member: dryRunMember(reached.member),
    namespace: stored.namespace,
    ignored: ignoreRules(release.spec),
    signal: reader.signal,
    // Whether the chart looks something up is not known here.
    hiding: { hidesValues: hidesValues(release.spec, { usesLookup: false }), isPublic: () => true },
    host: reader.host,
  });
  const limit = pLimit(AT_ONCE);
  const compared = await Promise.all(objects.map((object) => limit(() => comparing.compare(object))));
  return { helm, objects: worstCompared(compared), more, note: '', problem: comparing.problem };
}
