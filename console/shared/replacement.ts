import type { ObjectMeta } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { engineOf, statedEngine } from '#controllers/application/model/spec/flux-spec.js';
import { Refusal } from './refusal.js';
import { applicationOf, type SentApplication } from './sent-application.js';

type Texts = Readonly<Record<string, string>>;

/**
 * Who read the object before says what all its labels are; who did not, as the console, says which ones it knows. So it
 * removes no pin, no approval and no label of somebody else.
 */
function replacedTexts(live: Texts = {}, sent: Texts | undefined, isExact: boolean): Record<string, string> {
  if (sent === undefined) return { ...live };
  return isExact ? { ...sent } : { ...live, ...sent };
}

function metadataOf(live: ObjectMeta, sent: SentApplication['metadata']): ObjectMeta {
  const { resourceVersion = '' } = sent;
  const isExact = resourceVersion !== '';
  const { finalizers, ownerReferences } = { ...live, ...(isExact ? sent : {}) };
  return {
    name: live.name,
    namespace: live.namespace,
    ...(live.uid === undefined ? {} : { uid: live.uid }),
    resourceVersion: isExact ? resourceVersion : (live.resourceVersion ?? ''),
    labels: replacedTexts(live.labels, sent.labels, isExact),
    annotations: replacedTexts(live.annotations, sent.annotations, isExact),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  };
}

/**
 * The object that replaces the live one. A `resourceVersion` that was sent must still be the newest when the API server
 * gets it; without one it replaces what is live now, and takes no metadata away. Throws a Refusal if another engine would
 * get it.
 */
export function replacementOf(live: Application, sent: SentApplication): Application {
  const replacement = applicationOf(metadataOf(live.metadata, sent.metadata), sent.spec);
  const [before, after] = [engineOf(live), statedEngine(replacement)];
  if (before !== undefined && after !== before) {
    throw new Refusal(422, `spec.kind: ${before} cannot be changed to ${after ?? 'none'}: create another Application`);
  }
  return replacement;
}
