import type { CredentialFacts, Guard } from './facts.js';

/** For kubeconfig Secrets that were made for granted clusters. */
export const CREDENTIAL: readonly Guard<CredentialFacts>[] = [
  {
    name: 'not-ours',
    applies: ({ isOurs }) => !isOurs,
    allowed: false,
    why: () => 'Fairlead did not create it',
    meaning: 'it does not have our label, or not the name that its cluster gives it',
  },
  {
    name: 'incomplete-read',
    applies: ({ isComplete }) => !isComplete,
    allowed: false,
    why: () => 'what refers to it, or what allows it, may not be known yet',
    meaning: 'references, grants or clusters may be missing in what was read, or the inventory is lost',
  },
  {
    name: 'revoked',
    applies: ({ intent }) => intent === 'revoked',
    allowed: true,
    why: () => 'no ClusterGrant allows it any more',
    meaning: 'no ClusterGrant allows it any more: only the kubeconfig in it is removed, the Secret stays',
  },
  {
    name: 'referred',
    applies: ({ isReferred }) => isReferred,
    allowed: false,
    why: () => 'a HelmRelease or Kustomization refers to it',
    meaning: 'a HelmRelease or Kustomization refers to it, even if only to be uninstalled',
  },
  {
    name: 'unused',
    applies: () => true,
    allowed: true,
    why: () => 'nothing refers to it any more',
    meaning: 'nothing refers to it any more',
  },
];
