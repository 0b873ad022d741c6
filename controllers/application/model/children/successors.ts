import type { Application } from '#api/v1alpha1/application.js';
import { groupedBy } from '#lib/plain.js';
import { backendOf } from '../backends/index.js';
import { isInstalledOnce, precedes } from '../child/metadata.js';
import type { Child, Entry, ReleaseKey } from '../child/types.js';
import { heldReleaseKeys, liveReleaseKey, releaseKeyText } from '../destinations/identity.js';
import { rejectedEntries } from '../destinations/rejected.js';
import type { Validation } from '../destinations/validate.js';

/** An Application that specifies the release of a child which no entry of its own Application is for. */
export interface Successor {
  readonly name: string;
  readonly uid: string;
  /** Why it is not known whether it wants the release; undefined: it does. */
  readonly doubt?: string;
  /** True for a release that it has, and does not specify any more. Default: for none. */
  readonly gives?: (release: ReleaseKey) => boolean;
}

/** Entries by their `releaseKeyText`. */
export type EntriesByRelease = ReadonlyMap<string, readonly Entry[]>;

export function entriesByRelease(entries: readonly Entry[]): EntriesByRelease {
  return groupedBy(entries, ({ release }) => releaseKeyText(release));
}

/** Another Application of the same namespace that may specify a release: what is asked of it for each child. */
export interface Claimant {
  readonly application: Application;
  /** Its entries, whatever is wrong with them. */
  readonly stated: EntriesByRelease;
  /** The releases that it asks for; undefined: they are not known. */
  readonly valid: Wishes | undefined;
  /** True for the release of a child of its own. */
  readonly has: (release: ReleaseKey) => boolean;
}

interface Wishes {
  /** With its templates merged. */
  readonly application: Application;
  readonly entries: EntriesByRelease;
  readonly refused: ReadonlySet<Entry>;
}

function wishesIn(validation: Validation): Wishes | undefined {
  if (validation === 'pending' || 'violation' in validation) return undefined;
  const { entries, violationOf, resolved } = validation;
  const refused = new Set(rejectedEntries(entries, undefined, violationOf).map(({ entry }) => entry));
  return { application: resolved.application, entries: entriesByRelease(entries), refused };
}

/** The claimant that an Application is, validated on its own. */
export function claimantOf(
  application: Application,
  validation: Validation,
  { stated, has }: Pick<Claimant, 'stated' | 'has'>,
): Claimant {
  return { application, stated, has, valid: wishesIn(validation) };
}

/** Undefined if it does not want the child as it is. */
function claimOf(child: Child, { application, stated, valid, has }: Claimant): Successor | undefined {
  const { name, uid = '' } = application.metadata;
  const key = releaseKeyText(liveReleaseKey(child));
  if (valid === undefined) {
    const doubt = 'correct that Application, which is not valid, or delete it';
    return stated.has(key) ? { name, uid, doubt } : undefined;
  }
  const asking = valid.entries.get(key) ?? [];
  if (asking.some((entry) => valid.refused.has(entry)))
    return { name, uid, doubt: 'correct its entry, which is rejected, or remove it' };
  // An entry with the mode `Once` is installed as it says, and not as another one said.
  const mayTake = ({ mode }: Entry): boolean => mode !== 'Once' || isInstalledOnce(child);
  const wants = asking.some(
    (entry) => mayTake(entry) && backendOf(child).otherThan(valid.application, entry, child) === undefined,
  );
  if (!wants) return undefined;
  const specifies = (text: string): boolean => stated.has(text) || valid.entries.has(text);
  return { name, uid, gives: (release) => has(release) && !specifies(releaseKeyText(release)) };
}

/**
 * The Application that is to have a child as it is: the oldest one that specifies its release, with the same chart or
 * the same files. If none certainly does, the oldest one that may. Never throws.
 */
export function successorOf(child: Child, claimants: readonly Claimant[]): Successor | undefined {
  // While it moves, it has the release that it leaves, too.
  if (heldReleaseKeys(child).length > 1) return undefined;
  const inOrder = [...claimants].sort((one, other) => (precedes(one.application, other.application) ? -1 : 1));
  const found = inOrder.flatMap((each) => claimOf(child, each) ?? []);
  return found.find(({ doubt }) => doubt === undefined) ?? found[0];
}
