import type { Guard, SourceFacts } from './facts.js';

/** For a source that was created for Applications. */
export const SOURCE: readonly Guard<SourceFacts>[] = [
  {
    name: 'not-ours',
    applies: ({ isOurs }) => !isOurs,
    allowed: false,
    why: () => 'Fairlead did not create it',
    meaning: 'it does not have the label of sources that Fairlead creates',
  },
  {
    name: 'leaving',
    applies: ({ isTerminating }) => isTerminating,
    allowed: false,
    why: () => 'it is being deleted',
    meaning: 'it is already being deleted',
  },
  {
    name: 'incomplete-read',
    applies: ({ complete }) => !complete,
    allowed: false,
    why: () => 'what uses it may not be known completely',
    meaning: 'the lists of Applications, HelmReleases and Kustomizations may be incomplete',
  },
  {
    name: 'used',
    applies: ({ users }) => users > 0,
    allowed: false,
    why: ({ users }) => `${users} Applications, revisions, HelmReleases and Kustomizations use it`,
    meaning:
      'an Application, a revision of one, a HelmRelease or a Kustomization uses it, also one that is being deleted',
  },
  {
    name: 'unused',
    applies: () => true,
    allowed: true,
    why: () => 'nothing uses it any more',
    meaning: 'nothing uses it any more',
  },
];
