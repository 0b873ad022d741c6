import { chartOf } from './content.js';
import type { Destination } from './destinations.js';
import type { PlainObject } from './facts.js';
import { applies, areShared, type Claim } from './targets.js';
import {
  either,
  held,
  isAtNewest,
  isPinned,
  isProbed,
  wanted,
  type ClaimQuestion as Question,
  type Rule as RuleOf,
  type Verdict,
} from './verdict.js';

type Rule = RuleOf<Question>;

/** True if Fairlead compares the two: it knows clusters by their Secrets, and other namespaces only on the host. */
function isComparable({ kubeConfig, namespace, isReady }: PlainObject, { destination }: Claim): boolean {
  const { application, clusterKey, way } = destination;
  const isNear = application.startsWith(`${namespace}/`);
  if (kubeConfig === undefined) return way === 'host' && (isNear || isReady === true);
  return isNear && clusterKey === `Secret/${namespace}/${kubeConfig}`;
}

/**
 * A HelmRelease or Kustomization that a user wrote keeps its target, and an Application that came first keeps its own.
 */
const ofUser: Rule = ({ memory, target, known, claim }) => {
  const plain = memory.moment.world.plain.find((each) => applies(each, target));
  if (plain === undefined) return undefined;
  if (!known.isOwnerCertain) return either('ownerKeeps');
  if (known.owner !== 'user') return wanted('ownerKeeps');
  if (!isComparable(plain, claim)) return either('twoSecrets');
  return { ...held('userRelease'), uninstall: plain.isBeingDeleted === true ? 'may' : 'never' };
};

/** A cluster that answers with another UID is held. */
const onReplaced: Rule = ({ claim }) => {
  if (claim.located.found === undefined) return undefined;
  return claim.located.isCertain ? held('replaced') : either('replaced');
};

/** Files have no older claim: whoever applies them first keeps them, e.g. if the rollout of the other one waits. */
const appliedFirst: Rule = ({ memory, target, known, claim }) => {
  const claims = memory.claims.filter(({ key }) => key === claim.key);
  return !known.isOwnerCertain && areShared(target, claims) ? either('appliedFirst') : undefined;
};

/** Whoever has a child keeps its release. Without one, an older Application gets it. */
const olderClaim: Rule = ({ known }) => (known.isContested ? either('olderClaim') : undefined);

const rejected: Rule = ({ claim, application }) => {
  const rule = claim.destination.rejected ?? application.stalled;
  return rule === undefined ? undefined : held(rule);
};

const deletedByUser: Rule = ({ known }) =>
  known.isChildDeleted ? { ...wanted('otherClient'), uninstall: 'may' } : undefined;

/** True if what one Application has is for another one of its namespace as it is. Both are there, and valid. */
function isHandedOver({ memory, target, claim, known }: Question, before: Destination): boolean {
  const earlier = memory.applications.get(before.application);
  if (earlier === undefined || earlier.isLeaving || earlier.stalled !== undefined) return false;
  const { content } = claim.destination;
  if (target.kind !== 'HelmRelease' || known.isOnce || known.run === undefined || content === undefined) return false;
  return chartOf(known.run.content) === chartOf(content);
}

/** True if the chart that the destination wants has another name than the one that runs. */
function changesChart({ known, claim }: Pick<Question, 'known' | 'claim'>): boolean {
  const { content, keepsChartChange } = claim.destination;
  if (known.run === undefined || content === undefined || keepsChartChange) return false;
  return chartOf(known.run.content) !== chartOf(content);
}

/** The target is wanted, but another object describes its cluster than before, or another Application wants it now. */
const movedHere: Rule = (question) => {
  const { claim, known } = question;
  const before = known.movedFrom;
  if (before === undefined) return undefined;
  const { destination } = claim;
  if (before.application !== destination.application) {
    return isHandedOver(question, before) ? { ...either('handedOver'), uninstall: 'never' } : either('olderClaim');
  }
  if (isProbed(before) && isProbed(destination)) {
    const areOneKind = before.clusterKey.split('/')[0] === destination.clusterKey.split('/')[0];
    if (!areOneKind) return either('twoNames');
    return changesChart(question) ? { ...either('notTakenOver'), uninstall: 'never' } : wanted('twoNames');
  }
  return { ...wanted('newSecretName'), uninstall: 'may', isGuarded: before.way === 'clusterSelector' };
};

/** Whether what an earlier Application installed is in the way of another chart: it is left behind for certain, or may be. */
export function leftBehind(
  question: Pick<Question, 'known' | 'claim' | 'application'>,
): 'certain' | 'maybe' | undefined {
  const { known, application } = question;
  if (!changesChart(question) || (known.installedAt ?? 0) >= application.since) return undefined;
  return application.isAfterOrphan ? 'certain' : 'maybe';
}

/** An engine uninstalls a release before it installs a chart with another name. */
const otherChart: Rule = (question) => {
  if (!changesChart(question)) return undefined;
  const { destination } = question.claim;
  const left = leftBehind(question);
  if (left !== undefined) return left === 'certain' ? held('leftBehind') : either('leftBehind');
  const { application } = question;
  // At the newest revision, it changes with the spec.
  const isHeld = isPinned(application, destination.clusterName) && !isAtNewest(application, destination.clusterName);
  if (isHeld) return wanted('pinLeaves');
  const change = (rule: 'templateChart' | 'guardedChange' | 'chartName'): Verdict => ({
    ...wanted(rule),
    uninstall: 'may',
    isGuarded: true,
  });
  if (destination.fromTemplate) return change('templateChart');
  return change(destination.way === 'clusterSelector' ? 'guardedChange' : 'chartName');
};

const entry: Rule = ({ claim }) => wanted(claim.destination.way === 'clusterSelector' ? 'selectorMatches' : 'entry');

/** Rules for a target that an Application wants. The first rule that returns a verdict decides. */
export const CLAIM_RULES: readonly Rule[] = [
  ...[ofUser, onReplaced, appliedFirst, olderClaim, rejected, deletedByUser, movedHere, otherChart, entry],
];
