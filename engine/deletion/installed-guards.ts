import type { Guard, InstalledFacts } from './facts.js';

/** Decide whether what a HelmRelease or Kustomization installed is removed with that object. */
export const INSTALLED: readonly Guard<InstalledFacts>[] = [
  {
    name: 'begun',
    applies: ({ hasBegun }) => hasBegun,
    allowed: true,
    why: () => 'the engine has already tried to uninstall it',
    meaning: 'the engine has already tried to uninstall it, and reported why that failed',
  },
  {
    name: 'orphan-policy',
    applies: ({ policy, isSwept }) => policy === 'Orphan' && isSwept,
    allowed: false,
    why: () => 'the deletion policy of its Application is Orphan',
    meaning:
      'the policy of its Application is or was `Orphan`, and its namespace is being deleted, or its Application that still owns it',
  },
  {
    name: 'lost-owner',
    applies: ({ owner }) => owner === 'lost',
    allowed: false,
    why: () => 'its owner references name an Application that does not exist, as after the restore of a backup',
    meaning:
      'no Application with a UID of its owner references exists, as after the restore of a backup: Kubernetes deletes such an object',
  },
  {
    name: 'goes',
    applies: () => true,
    allowed: true,
    why: () => 'its HelmRelease or Kustomization is being deleted',
    meaning: 'its HelmRelease or Kustomization is deleted for another reason',
  },
];
