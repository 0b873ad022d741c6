import pLimit from 'p-limit';
import type { Unstructured } from '#api/meta.js';
import type { ObjectTarget } from '#engine/member/model/inventory.js';
import type { Member } from '#engine/member/member.js';
import { answerOf, type Task } from '#runtime/isolation/offload.js';
import { parseServed } from '#lib/json/nesting.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { objectPath } from '#lib/net/urls.js';
import type { ManifestObject, ShownManifest } from '../answers/members.js';
import type { Reader } from './child-member.js';
import { METADATA_ONLY, withoutAnswer } from './object-states.js';
import { ShownObjects, unshown } from './shown-objects.js';

const AT_ONCE = 4;
/** More than objects of Kubernetes are stored with. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Characters that are read, and objects: others are only counted. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MOST_OBJECTS = 200;
const DEADLINE_MS = 4_000;

/** An object as the API server printed it, or why it is not there. */
type Answer = { readonly target: ObjectTarget } & ({ readonly text: string } | { readonly problem: string });

function shownOf(answers: readonly Answer[]): ShownManifest {
  const shown = new ShownObjects();
  for (const { target, ...answer } of answers) {
    if ('problem' in answer) {
      shown.addUnshown(unshown(target, answer.problem));
      continue;
    }
    const { apiVersion, kind } = target;
    try {
      // What stands there is checked by nobody, and only printed.
      const object = { ...withoutManagedFields(parseServed(answer.text) as Unstructured), apiVersion, kind };
      shown.add(object, target);
    } catch {
      shown.addUnshown(unshown(target, 'what the cluster answers cannot be read'));
    }
  }
  return shown.shown;
}

/** What the cluster of a tenant says is read in another thread. @public Called by its name. */
export const liveManifestTask: Task = {
  module: import.meta.url,
  name: 'liveManifestTask',
  deadlineMs: DEADLINE_MS,
  mostWaiting: 20,
  run: (input) => JSON.stringify(shownOf(JSON.parse(input) as Answer[])), // as liveManifest prints it
};

async function readText(member: Member, target: ObjectTarget, signal: AbortSignal): Promise<string> {
  const { apiVersion, kind, name } = target;
  const type = await member.servedType(apiVersion, kind, { signal });
  // What a Secret holds need not come here at all.
  const accept = kind === 'Secret' ? METADATA_ONLY : 'application/json';
  const path = objectPath(type, { namespace: type.namespaced ? target.namespace : undefined, name });
  return (await member.kube.read(path, { accept, signal, maxBytes: MAX_BYTES, asText: true })) as string;
}

/** The objects as they are now. Throws what the client throws if the member does not answer. */
export async function liveManifest(
  member: Member,
  targets: readonly ObjectTarget[],
  { signal, offload, namespace }: Reader,
): Promise<ShownManifest> {
  const limit = pLimit(AT_ONCE);
  let left = MAX_CHARACTERS;
  const read = async (target: ObjectTarget): Promise<Answer[]> => {
    if (left <= 0) return [];
    try {
      const text = await readText(member, target, signal);
      left -= text.length;
      return [{ target, text }];
    } catch (error: unknown) {
      return [{ target, problem: withoutAnswer(target, error).message }];
    }
  };
  const asked = targets.slice(0, MOST_OBJECTS).map((target) => limit(read, target));
  const answers = (await Promise.all(asked)).flat();
  const unread = targets.length - answers.length;
  const refused = (problem: string): ManifestObject[] => answers.map(({ target }) => unshown(target, problem));
  const shown = await answerOf<ShownManifest>(
    offload.run(liveManifestTask, JSON.stringify(answers), namespace),
    ({ message }) => ({ objects: refused(message), more: 0 }),
  );
  return { ...shown, more: shown.more + unread };
}
