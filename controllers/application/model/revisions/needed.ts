import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { recordIn } from '../rollout/rollout-status.js';
import type { Child } from '../types.js';
import { historyLimit, parseRevision, type NamedRevisions } from './history.js';
import { pinnedRevisions, type Pins } from './pins.js';

/** Each is expanded to all clusters; what is older is left unchanged. */
const MAX_CONTENTS = 10;

/** What a pass needs of the history of an Application. */
export interface Needed extends NamedRevisions {
  /** False: it keeps none, and does not ask for one. */
  readonly isAsked: boolean;
  /** Revisions whose content is needed while `current` is the newest one; undefined: the spec is none yet. */
  readonly contents: (current: number | undefined) => readonly number[];
}

/** Once a rollout is complete, nothing is held that has an earlier revision. */
function isOpen({ spec, status }: Application, current: number | undefined): boolean {
  const record = recordIn(status?.rollout);
  const isComplete = record?.completedAt !== undefined && record.revision === current;
  return spec.rollout !== undefined && !isComplete;
}

/** `owned` are the children, each with the number of the revision that it was written from. */
export function neededRevisions(application: Application, pins: Pins, owned: readonly Child[]): Needed {
  const pinned = pinnedRevisions(pins);
  const inUse = owned.flatMap(({ metadata }) => parseRevision(metadata.annotations?.[APPLICATION_REVISION]) ?? []);
  const lastGood = recordIn(application.status?.rollout)?.lastGood ?? [];
  const used = new Set([...pinned, ...inUse, lastGood].flat());
  return {
    isAsked: historyLimit(application) > 0 || pins.problem !== undefined || pinned.size > 0,
    used,
    pinned,
    contents: (current) => {
      const numbers = [...(isOpen(application, current) ? used : pinned)].filter((number) => number !== current);
      return numbers.sort((one, other) => other - one).slice(0, MAX_CONTENTS);
    },
  };
}
