import { isAbandoned, policyOf, type ApplicationMemory } from './applications.js';
import { chartOf, keyOf } from './content.js';
import { clusterKeyOf, expand, isGranted, isInventory, type Destination } from './destinations.js';
import type { ClusterObject, Target } from './facts.js';
import { isDryRun } from './objects.js';
import { stageOf, stagesOf } from './stages.js';
import { locate } from './records.js';
import {
  either,
  goes,
  held,
  isAtNewest,
  isPinned,
  isProbed,
  mayGo,
  stays,
  type RemovalQuestion as Question,
  type Rule as RuleOf,
} from './verdict.js';

type Rule = RuleOf<Question>;

/** The object of the cluster as it is now, or undefined if it is gone. */
function clusterNow({ memory, last }: Question): ClusterObject | undefined {
  return memory.moment.world.clusters.find((each) => clusterKeyOf(each) === last.clusterKey);
}

const namespaceOf = ({ name }: ApplicationMemory): string => name.split('/')[0] ?? '';

/**
 * True if the entry of before is still there, and means another target on the same cluster: the one with its name, or,
 * as its cluster, storage and name tell a release, that of the same release.
 */
function hasMoved({ application, last }: Question): boolean {
  const isSameRelease = ({ kind, storage, name }: Destination['place']): boolean =>
    kind === 'HelmRelease' && storage === last.place.storage && name === last.place.name;
  const isIt = ({ entryName, clusterKey, place }: Destination): boolean =>
    clusterKey === last.clusterKey &&
    ((entryName !== undefined && entryName === last.entryName) ||
      (last.place.kind === place.kind && isSameRelease(place)));
  return application.expanded.destinations.some(isIt);
}

/** A cluster that answers with another UID is held, on both clusters. */
const onReplaced: Rule = (question) => {
  const { memory, target, last, application } = question;
  const cluster = clusterNow(question);
  if (!isProbed(last) || cluster === undefined) return undefined;
  const { uid, found, isCertain } = locate({ ...last, cluster, leadsTo: cluster.leadsTo }, memory.records);
  if (found === undefined || ![uid, found].includes(target.cluster)) return undefined;
  if (!isCertain) return either('replaced');
  return held(application.isLeaving ? 'replacedDeleted' : 'replaced');
};

/** Files stay if their child says so by now. */
function unpruned({ target, last, known }: Question): ReturnType<Rule> {
  if (!last.keepsFiles || target.kind !== 'Kustomization') return undefined;
  return known.wasKept ? stays('noPrune') : mayGo('noPrune');
}

/** A release that was installed once stays, as soon as its child has the record. */
function keptForGood({ known, last, application }: Question): ReturnType<Rule> {
  if (!known.isOnce) return undefined;
  if (!known.isOnceRecorded) return mayGo('onceNotYet');
  const isUnmatched = !application.isLeaving && last.way === 'clusterSelector';
  return stays(isUnmatched ? 'onceUnmatched' : 'onceRemoved');
}

/** Decides whether a target stays although its Application is deleted. */
const keptAtDeletion: Rule = (question) => {
  const { application, known, last } = question;
  if (!application.isLeaving) return undefined;
  const forGood = keptForGood(question);
  if (forGood !== undefined) return forGood;
  const files = unpruned(question);
  if (files !== undefined) return files;
  if (policyOf(application) === 'Orphan') return application.wasOrphan ? stays('orphan') : mayGo('orphanNotYet');
  if (application.isLost) return mayGo('deletedAtOnce');
  if (!last.isSuspended) return undefined;
  return known.wasSuspended ? stays('suspendedDeleted') : mayGo('suspendedDeleted');
};

/** A release that an earlier Application of the same name left behind stays, unless this one specifies it. */
const leftBehind: Rule = ({ application, known }) => {
  if (known.lastAt === undefined || known.lastAt >= application.since) return undefined;
  return application.isAfterOrphan ? stays('orphan') : mayGo('deletedAtOnce');
};

/** True if the target is in a namespace of the host that is deleted, with everything in it. */
function isInDeletedNamespace({ memory, target }: Question): boolean {
  const { host, namespaces } = memory.moment.world;
  const namespace = namespaces.find(({ name }) => name === target.namespace);
  return target.cluster === host && (namespace === undefined || namespace.isBeingDeleted === true);
}

/** Why an Application that is deleted may not reach a cluster that it once used. */
function obstacleTo({ application, last }: Question, cluster: ClusterObject): 'clusterPaused' | undefined {
  const isTaken = isProbed(last) && !isGranted(cluster, namespaceOf(application));
  return isTaken || cluster.paused === true ? 'clusterPaused' : undefined;
}

/** An Application that is deleted uninstalls, unless it cannot. */
const atDeletion: Rule = (question) => {
  const { application, last } = question;
  if (!application.isLeaving) return undefined;
  if (isInDeletedNamespace(question)) return mayGo('namespaceContents');
  if (isAbandoned(application, last.clusterName)) return mayGo('abandoned');
  const cluster = clusterNow(question);
  if (cluster === undefined && last.clusterKey !== 'host') return mayGo('secretMissing');
  const obstacle = cluster === undefined ? undefined : obstacleTo(question, cluster);
  if (obstacle !== undefined) return mayGo(obstacle);
  return goes(isDryRun(application.object) ? 'dryRunDeleted' : 'deleted');
};

/** True if the destination came when the target went. One of a selector is on a cluster that such an entry can't mean. */
function isNewSince({ application, known, memory, last }: Question, { id }: Destination): boolean {
  const before = application.revisions.findLast(({ since }) => since <= (known.lastAt ?? -1));
  if (before === undefined || last.way === 'clusterSelector') return false;
  return !expand(before.wish, memory.moment.world).destinations.some((each) => each.id === id);
}

/** Nothing is removed as long as something of the Application is not understood. */
const notNow: Rule = (question) => {
  const { application, target } = question;
  if (isDryRun(application.object)) return held('dryRun');
  if (application.stalled === 'noEntry') return either('noEntry');
  if (application.stalled !== undefined) return held(application.stalled);
  const { unclear, destinations } = application.expanded;
  const [first] = unclear;
  if (first !== undefined) return first.rule === 'emptySelector' ? either('emptySelector') : held('unclearEntry');
  if (destinations.some(({ rejected }) => rejected === 'overridesInvalid')) return either('overridesInvalid');
  const isMissing = ({ way, cluster, place }: Destination): boolean =>
    way === 'kubeConfig' && cluster === undefined && place.kind === target.kind;
  const missing = destinations.filter(isMissing);
  if (missing.length === 0) return undefined;
  return missing.some((each) => isNewSince(question, each)) ? held('newSecretMissing') : either('newSecretMissing');
};

/** A stage that names or selects no destination stops its rollout, and what is replaced on later clusters with it. */
const byEmptyStage: Rule = ({ application, last }) => {
  const { rollout } = application.object.spec;
  if (rollout === undefined) return undefined;
  const { destinations } = application.expanded;
  const inUse = new Set(destinations.map((each) => stageOf(rollout, each)));
  const isEmpty = stagesOf(rollout).some(({ name, isSelective }) => isSelective && !inUse.has(name));
  return isEmpty && destinations.some(({ clusterKey }) => clusterKey === last.clusterKey)
    ? either('emptyStage')
    : undefined;
};

/** Decides a removal by the object of the cluster. */
const byCluster: Rule = (question) => {
  const { last, memory } = question;
  if (last.clusterKey === 'host') return undefined;
  if (memory.moment.world.unreadKinds.includes(last.clusterKey.split('/')[0] ?? '')) return held('clusterUnknown');
  const cluster = clusterNow(question);
  if (isProbed(last)) return byInventory(question, cluster);
  return cluster === undefined ? stays('secretMissing') : undefined;
};

/** The cluster was reached when the target was installed. Without an entry for it, nothing can be mistaken. */
function isReachedOtherwise({ application, last }: Question, { hasCredential }: ClusterObject): boolean {
  const isNamed = application.expanded.destinations.some(({ clusterKey }) => clusterKey === last.clusterKey);
  return hasCredential === false && isNamed;
}

function byInventory(question: Question, cluster: ClusterObject | undefined) {
  const { application, target } = question;
  if (cluster === undefined || !isInventory(cluster)) return stays('clusterGone');
  if (!isGranted(cluster, namespaceOf(application))) return held('grantTaken');
  if (cluster.paused === true) return held('clusterPaused');
  if (isReachedOtherwise(question, cluster)) return held('accessChanged');
  return cluster.leadsTo !== undefined && cluster.leadsTo !== target.cluster ? stays('accepted') : undefined;
}

/** A pin says what destinations get, not which there are. One that has moved since is left unchanged. */
const byPin: Rule = (question) => {
  const { application, last } = question;
  if (!isPinned(application, last.clusterName)) return undefined;
  // At the newest revision, it has moved with the spec.
  if (hasMoved(question)) return isAtNewest(application, last.clusterName) ? either('pinned') : held('pinLeaves');
  return last.entryName === undefined ? either('pinUninstallsNothing') : undefined;
};

const leftAlone: Rule = (question) => {
  const { known, last, application } = question;
  const forGood = keptForGood(question);
  if (forGood !== undefined) return forGood;
  if (known.wasSuspended) return stays('suspendedDeleted');
  if (last.isSuspended) return mayGo('suspendedDeleted');
  const files = unpruned(question);
  if (files !== undefined) return files;
  return isAbandoned(application, last.clusterName) ? mayGo('abandoned') : undefined;
};

/** A directory of a source, without the source. */
const directoryIn = ({ name }: Target): string => name.slice(name.lastIndexOf(':'));

/**
 * True if another destination on the same cluster has the chart or the directory, and may be new: without a name, it is
 * the entry of before that releases something else now.
 */
function mayBeReplaced({ application, known, last, memory, target }: Question): boolean {
  return application.expanded.destinations.some(({ clusterKey, place, content }) => {
    if (clusterKey !== last.clusterKey || place.kind !== target.kind) return false;
    const there = { ...place, cluster: target.cluster };
    if (keyOf(there) === keyOf(target) || memory.targets.get(keyOf(there))?.run !== undefined) return false;
    if (place.kind === 'Kustomization') return directoryIn(there) === directoryIn(target);
    return content === undefined || known.run === undefined || chartOf(content) === chartOf(known.run.content);
  });
}

const orphaned: Rule = (question) => {
  const { application, last } = question;
  if (policyOf(application) !== 'Orphan') return undefined;
  const isSelected = last.way === 'clusterSelector';
  if (hasMoved(question)) return goes('orphanMoved', true);
  return isSelected ? stays('orphanUnmatched') : either('orphanUnmatched');
};

/** True if an entry with a selector releases the same, wherever: then a removal is guarded as well. */
export function sharesSelector(application: ApplicationMemory, target: Target): boolean {
  const isSame = ({ way, place }: Destination): boolean =>
    way === 'clusterSelector' && keyOf({ ...place, cluster: '' }) === keyOf({ ...target, cluster: '' });
  return application.expanded.destinations.some(isSame);
}

const removed: Rule = (question) => {
  const { last, target } = question;
  if (last.way === 'clusterSelector') return goes(hasMoved(question) ? 'guardedChange' : 'guarded', true);
  if (sharesSelector(question.application, target)) return goes('guarded', true);
  if (hasMoved(question)) return goes('movedEntry', true);
  return mayBeReplaced(question) ? either('movedEntry') : goes('removedEntry');
};

/** Rules for a target that no Application wants any more. The first rule that returns a verdict decides. */
export const REMOVAL_RULES: readonly Rule[] = [
  ...[onReplaced, leftBehind, keptAtDeletion, atDeletion, notNow, byCluster, byPin, leftAlone],
  ...[byEmptyStage, orphaned, removed],
];
