import { ENTRY_NAME_ANNOTATION } from '#api/v1alpha1/labels.js';
import { clusterText } from '../cluster.js';
import type { Child, Entry, ReleaseKey } from '../types.js';

/** One way to tell that a child is that of an entry: what both must have in common; undefined where it says nothing. */
export interface MatchRule {
  readonly ofEntry: (entry: Entry) => string | undefined;
  readonly ofChild: (child: Child) => string | undefined;
  /** What must hold besides. */
  readonly agrees?: (entry: Entry, child: Child) => boolean;
  /** Says nothing where several entries or several children have it. */
  readonly isUnique?: boolean;
}

/** Different for different parts. */
export function textOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

function nameOf(child: Child): string | undefined {
  return child.metadata.annotations?.[ENTRY_NAME_ANNOTATION];
}

/** How a backend tells releases apart. */
interface Releases {
  readonly keyText: (key: ReleaseKey) => string;
  readonly liveKey: (child: Child) => ReleaseKey;
}

/**
 * What runs stays where it is wanted, whatever the entry that wants it is called: to move it would uninstall it. Of two
 * children for one release, the one that was this entry's before.
 */
export function releaseRules({ keyText, liveKey }: Releases): readonly MatchRule[] {
  const ofChild = (child: Child): string => keyText(liveKey(child));
  const ofEntry = ({ release }: Entry): string => keyText(release);
  return [
    {
      ofEntry: (entry) => (entry.name === undefined ? undefined : textOf(entry.name, ofEntry(entry))),
      ofChild: (child) => {
        const name = nameOf(child);
        return name === undefined ? undefined : textOf(name, ofChild(child));
      },
    },
    {
      ofEntry: (entry) => textOf(entry.childName, ofEntry(entry)),
      ofChild: (child) => textOf(child.metadata.name, ofChild(child)),
    },
    { ofEntry, ofChild },
  ];
}

/** A name keeps its child through any change but that of the cluster, where the old release must go. */
const ITS_NAME: MatchRule = {
  ofEntry: ({ name, release }) => (name === undefined ? undefined : textOf(name, release.cluster)),
  ofChild: (child) => {
    const name = nameOf(child);
    return name === undefined ? undefined : textOf(name, clusterText(child.spec.kubeConfig));
  },
};

/** The name holds a hash of the release: a child whose fields somebody changed is still known by it. */
const ITS_CHILD_NAME: MatchRule = {
  ofEntry: ({ childName }) => childName,
  ofChild: ({ metadata }) => metadata.name,
};

export const NAME_RULES: readonly MatchRule[] = [ITS_NAME, ITS_CHILD_NAME];
