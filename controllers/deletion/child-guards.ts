import { PRUNE_LEGACY_ANNOTATION } from '../../api/v1alpha1/labels.js';
import type { ChildFacts, Guard } from './facts.js';
import { LEAVING } from './leaving-guard.js';

/** Why a child goes whose entry was removed. */
export const UNWANTED = 'no entry specifies it any more';

/** The guards of a child, in their order. */
export const CHILD: readonly Guard<ChildFacts>[] = [
  {
    name: 'not-ours',
    applies: ({ owned }) => !owned,
    allowed: false,
    why: () => 'it does not belong to this Application',
    meaning: 'it has no owner reference to this Application, or neither our marks nor those of ks-devops',
  },
  {
    name: 'purge',
    applies: ({ intent }) => intent === 'purge',
    allowed: false,
    why: () => 'what runs stays when Fairlead is removed',
    meaning: '`fairlead uninstall` uninstalls no release: it removes the owner references of children instead',
  },
  LEAVING,
  {
    name: 'incomplete-read',
    applies: ({ complete }) => !complete,
    allowed: false,
    why: () => 'the list of children may be incomplete',
    meaning: 'the list of children may be incomplete or outdated',
  },
  {
    name: 'orphan-policy',
    applies: ({ intent, policy }) => intent === 'application' && policy === 'Orphan',
    allowed: false,
    why: () => 'the deletion policy of its Application is Orphan',
    meaning: 'its Application is deleted with `deletionPolicy: Orphan` or `--cascade=orphan`',
  },
  {
    name: 'application-deleted',
    applies: ({ intent, isInstalledOnce, isSuspended }) =>
      intent === 'application' && (isSuspended || isInstalledOnce !== true),
    allowed: true,
    why: () => 'the Application is being deleted',
    meaning: 'its Application is deleted, together with its children',
  },
  {
    name: 'entry-in-doubt',
    applies: ({ doubtfulEntry }) => doubtfulEntry !== undefined,
    allowed: false,
    instead: 'wait',
    why: ({ doubtfulEntry }) => `${doubtfulEntry ?? ''} and may refer to it`,
    meaning:
      'an entry may refer to it that is rejected, or that is new and refers to a kubeconfig Secret that does not exist, or to another key of its Secret',
  },
  {
    name: 'removal-held',
    applies: ({ heldRemoval }) => heldRemoval !== undefined,
    allowed: false,
    instead: 'wait',
    why: ({ heldRemoval }) => heldRemoval ?? '',
    meaning: 'no entry matches the child of a cluster any more, and the removal must wait',
  },
  {
    name: 'release-stays',
    applies: ({ releaseStays, isSuspended }) => releaseStays !== undefined && !isSuspended,
    allowed: false,
    instead: 'suspend',
    why: ({ releaseStays }) => `${releaseStays ?? ''}, so it is deleted without an uninstall`,
    meaning:
      'a selector made it, and its cluster is not in the inventory any more, or the policy is `Orphan`; it is deleted once it is suspended, without an uninstall',
  },
  {
    name: 'installed-once',
    applies: ({ isInstalledOnce, isSuspended }) => isInstalledOnce === true && !isSuspended,
    allowed: false,
    instead: 'suspend',
    why: () => 'it was installed once, so it is deleted without an uninstall',
    meaning: 'its mode is `Once`, and it was installed; it is deleted once it is suspended, without an uninstall',
  },
  {
    name: 'leftover',
    applies: ({ isLeftover, leftoversMayGo }) => isLeftover && !leftoversMayGo,
    allowed: false,
    why: () =>
      `ks-devops created it and no entry has adopted it: annotate the Application with ${PRUNE_LEGACY_ANNOTATION}=true to delete it`,
    meaning: 'ks-devops created it, no entry adopted it, and `gitops.kubesphere.io/prune-legacy` is not set',
  },
  {
    name: 'shared-release',
    applies: ({ sharesReleaseWith, isSuspended }) => sharesReleaseWith !== undefined && !isSuspended,
    allowed: false,
    instead: 'suspend',
    why: ({ sharesReleaseWith }) =>
      `${sharesReleaseWith ?? ''} keeps what it installed, so it is deleted without an uninstall`,
    meaning: 'another child keeps the same release; it is deleted once it is suspended, without an uninstall',
  },
  {
    name: 'unwanted',
    applies: () => true,
    allowed: true,
    why: ({ departure = UNWANTED }) => departure,
    meaning: UNWANTED,
  },
];
