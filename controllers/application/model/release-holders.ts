import { backendOf } from './backends/index.js';
import { heldReleaseKeys, liveReleaseKey, releaseKeyText, slotText } from './identity.js';
import { describeChild } from './messages.js';
import type { Child, DesiredChild, ReleaseKey } from './types.js';

export function isTerminating(child: Child): boolean {
  return child.metadata.deletionTimestamp !== undefined;
}

/** Equal for two children that an engine would have do the same thing to the same objects. */
export function workText(child: Child): string {
  return backendOf(child).workText(child);
}

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
 * The releases that the children of an Application hold, and that nobody else may come to yet: a child that goes may
 * hold them on the same cluster under another name of its kubeconfig, so there the cluster does not count. Nor does it
 * for a new child as long as another one has not left its release.
 */
export class ReleaseHolders {
  readonly #byRelease = new Map<string, Holder[]>();
  readonly #leftBySlot = new Map<string, Holder[]>();
  readonly #movedBySlot = new Map<string, Holder[]>();

  /** All children of an Application; of those that stay some may be on their way out already. */
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

  /** Why a child cannot come to the release that it should have; undefined when that is free. */
  of({ object, live }: DesiredChild): string | undefined {
    const key = liveReleaseKey(object);
    const holders = [
      ...(this.#leftBySlot.get(slotText(key)) ?? []),
      ...(this.#byRelease.get(releaseKeyText(key)) ?? []),
      ...(live === undefined ? (this.#movedBySlot.get(slotText(key)) ?? []) : []),
    ];
    return holders.find(({ child }) => child !== live)?.why;
  }
}
