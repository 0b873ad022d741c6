import { ENTRY_NAME_ANNOTATION } from '#api/v1alpha1/labels.js';
import { clusterText } from '../cluster.js';
import type { Child, Entry, ReleaseKey } from '../types.js';
import type { MatchRule } from './types.js';

/** Different for different parts. */
export function textOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

function nameOf(child: Child): string | undefined {
  return child.metadata.annotations?.[ENTRY_NAME_ANNOTATION];
}

/** How a backend identifies releases. */
interface Releases {
  readonly keyText: (key: ReleaseKey) => string;
  readonly liveKey: (child: Child) => ReleaseKey;
}

/**
 * A running release stays with the entry that wants it, even if the entry was renamed: a move would uninstall it. Of
 * two children for one release, the previous child of the entry is preferred.
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

/** An entry with a name keeps its child through all changes except of the cluster, where the old release must go. */
const ITS_NAME: MatchRule = {
  ofEntry: ({ name, release }) => (name === undefined ? undefined : textOf(name, release.cluster)),
  ofChild: (child) => {
    const name = nameOf(child);
    return name === undefined ? undefined : textOf(name, clusterText(child.spec.kubeConfig));
  },
};

/** The name contains a hash of the release: it also identifies a child whose fields were changed. */
const ITS_CHILD_NAME: MatchRule = {
  ofEntry: ({ childName }) => childName,
  ofChild: ({ metadata }) => metadata.name,
};

export const NAME_RULES: readonly MatchRule[] = [ITS_NAME, ITS_CHILD_NAME];
