import type { Application } from '#api/v1alpha1/application.js';
import { backendOf } from '../backends/index.js';
import { precedes } from '../child/metadata.js';
import type { Child, Entry } from '../child/types.js';
import { heldReleaseKeys, liveReleaseKey, releaseKeyText } from '../destinations/identity.js';
import { rejectedEntries } from '../destinations/rejected.js';
import type { Validation } from '../destinations/validate.js';

/** An Application that specifies the release of a child which no entry of its own Application is for. */
export interface Successor {
  readonly name: string;
  readonly uid: string;
  /** Why it is not known whether it wants the release; undefined: it does. */
  readonly doubt?: string;
}

/** Another Application of the same namespace, validated on its own, that may specify a release. */
export interface Claimant {
  readonly application: Application;
  readonly validation: Validation;
  /** Its entries, whatever is wrong with them. */
  readonly stated: readonly Entry[];
}

function asksFor(child: Child, entries: readonly Entry[]): Entry[] {
  const key = releaseKeyText(liveReleaseKey(child));
  return entries.filter(({ release }) => releaseKeyText(release) === key);
}

/** Undefined if it does not want the child as it is. */
function claimOf(child: Child, { application, validation, stated }: Claimant): Successor | undefined {
  const { name, uid = '' } = application.metadata;
  if (validation === 'pending' || 'violation' in validation) {
    return asksFor(child, stated).length === 0
      ? undefined
      : { name, uid, doubt: 'correct that Application, which is not valid, or delete it' };
  }
  const { entries, violationOf, resolved } = validation;
  const asking = asksFor(child, entries);
  const refused = new Set(rejectedEntries(entries, undefined, violationOf).map(({ entry }) => entry));
  if (asking.some((entry) => refused.has(entry)))
    return { name, uid, doubt: 'correct its entry, which is rejected, or remove it' };
  const wants = asking.some((entry) => backendOf(child).otherThan(resolved.application, entry, child) === undefined);
  return wants ? { name, uid } : undefined;
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
