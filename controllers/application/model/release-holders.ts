import { clusterIdFrom, clusterIdText } from '../../cluster/model/cluster.js';
import { backendOf } from './backends/index.js';
import { clusterIdOf } from './clusters/child-cluster.js';
import { heldReleaseKeys, liveReleaseKey, releaseKeyText, slotText } from './identity.js';
import { describeChild } from './messages.js';
import { isTerminating } from './state.js';
import type { Child, DesiredChild, Entry, ReleaseKey } from './types.js';

interface Holder {
  readonly child: Child;
  readonly why: string;
}

function add(holders: Map<string, Holder[]>, text: string, holder: Holder): void {
  const known = holders.get(text);
  if (known === undefined) holders.set(text, [holder]);
  else known.push(holder);
}

function placeOf({ storageNamespace, releaseName }: ReleaseKey): string {
  return `${storageNamespace}/${releaseName}`;
}

/**
 * True if a child and an entry are for two clusters that the inventory has from one kind of object. Objects of two kinds
 * may describe the same cluster.
 */
function areDistinct(child: Child, { cluster }: Entry): boolean {
  const text = clusterIdOf(child);
  const id = text === undefined ? undefined : clusterIdFrom(text);
  if (id === undefined || cluster === undefined || text === clusterIdText(cluster.id)) return false;
  return id.apiGroup === cluster.id.apiGroup && id.kind === cluster.id.kind;
}

/**
 * The releases that the children of an Application hold, which no other child may claim yet. The cluster is ignored for
 * children that are or will be deleted or suspended, for spared ones of clusters that no entry names, and for a release
 * that another child is leaving if the claim is of a new child: both kubeconfigs may be for the same cluster.
 */
export class ReleaseHolders {
  readonly #byRelease = new Map<string, Holder[]>();
  readonly #leftBySlot = new Map<string, Holder[]>();
  readonly #movedBySlot = new Map<string, Holder[]>();

  /** All children of an Application; some of those that stay may be terminating already. */
  constructor({ going, staying }: { readonly going: readonly Child[]; readonly staying: readonly Child[] }) {
    for (const child of [...going, ...staying.filter(isTerminating)]) this.#leave(child);
    for (const child of staying.filter((each) => !isTerminating(each))) this.#stay(child);
  }

  #leave(child: Child): void {
    for (const key of heldReleaseKeys(child)) {
      const what = backendOf(key).describeHeld(key);
      const why = `waiting until ${describeChild(child)}, which may have ${what} on that cluster, is deleted`;
      add(this.#leftBySlot, slotText(key), { child, why });
    }
  }

  #stay(child: Child): void {
    const [now, ...before] = heldReleaseKeys(child);
    if (now === undefined) return;
    add(this.#byRelease, releaseKeyText(now), { child, why: `${describeChild(child)} has release ${placeOf(now)}` });
    for (const key of before) {
      const holder = { child, why: `waiting until ${describeChild(child)} has left release ${placeOf(key)}` };
      add(this.#byRelease, releaseKeyText(key), holder);
      add(this.#movedBySlot, slotText(key), holder);
    }
  }

  /** Why a child cannot claim its desired release; undefined if the release is free. */
  of({ entry, object, live }: DesiredChild): string | undefined {
    const key = liveReleaseKey(object);
    const holders = [
      ...(this.#leftBySlot.get(slotText(key)) ?? []),
      ...(this.#byRelease.get(releaseKeyText(key)) ?? []),
      ...(live === undefined ? (this.#movedBySlot.get(slotText(key)) ?? []) : []),
    ];
    return holders.find(({ child }) => child !== live && !areDistinct(child, entry))?.why;
  }
}
