import partition from 'lodash/partition.js';
import { ENTRY_NAME_ANNOTATION } from '#api/v1alpha1/labels.js';
import { groupedBy } from '#lib/plain.js';
import { isUnmanaged } from '../child/metadata.js';
import type { Child, DesiredChild } from '../child/types.js';
import type { Selection } from '../destinations/expand.js';
import { isSelected, isUntouched, type Leaving, movingChildren, selectionTextOf } from './leaving.js';
import type { Selected } from './removals.js';

/** The children of an Application; see `DeparturesInput`. */
interface Children {
  readonly owned: readonly Child[];
  readonly matched: readonly Child[];
  readonly desired: readonly DesiredChild[];
  readonly wanted: readonly DesiredChild[];
}

/** Children of selectors that neither leave nor move. */
interface Rest {
  /** Children that the spec keeps where they are. */
  readonly staying: readonly Child[];
  /** Children that do not show what the spec wants, because it is not applied to them now. */
  readonly undecided: readonly Child[];
  /** The same of children without a selector. */
  readonly named: readonly Child[];
}

/**
 * Sorts the children that do not leave. A child stays only if the spec decides so now. It is undecided if it is held,
 * paused or rejected, if it is being deleted, or if it is still to move.
 */
export function restOf(
  { owned, matched, desired, wanted }: Children,
  leaving: readonly Leaving[],
  selections: ReadonlySet<string>,
): Rest {
  const matching = new Set(matched);
  const isAmong = (child: Child): boolean =>
    isSelected(child, selections) && (matching.has(child) || (isUntouched(child) && !isUnmanaged(child)));
  const going = new Set(leaving.map(({ child }) => child));
  const toMove = new Set(movingChildren(wanted).map(({ child }) => child));
  const decided = new Set(
    desired.flatMap(({ live, held, entry }) =>
      live === undefined || held !== undefined || entry.cluster?.isPaused === true || toMove.has(live) ? [] : [live],
    ),
  );
  const rest = owned.filter((child) => !going.has(child) && isAmong(child));
  const [staying, undecided] = partition(rest, (child) => decided.has(child) && isUntouched(child));
  const isNamed = (child: Child): boolean =>
    matching.has(child) && !going.has(child) && !isSelected(child, selections) && isUntouched(child);
  return { staying, undecided, named: owned.filter((child) => isNamed(child) && !decided.has(child)) };
}

/** Like `selectionTextOf`, but it also tells entries apart whose selectors release the same: by their name, or path. */
function entryTextOf(child: Child): string {
  const { metadata, spec } = child;
  return JSON.stringify([selectionTextOf(child), metadata.annotations?.[ENTRY_NAME_ANNOTATION] ?? spec['path']]);
}

/** Counts the children that leave, stay or are undecided, by a text that those of one entry share. */
function countsBy(textOf: (child: Child) => string, leaving: readonly Leaving[], { staying, undecided }: Rest) {
  const [stay, open] = [groupedBy(staying, textOf), groupedBy(undecided, textOf)];
  return [...groupedBy(leaving, ({ child }) => textOf(child))].map(([text, those]) => {
    const uninstalls = those.some((each) => each.uninstalls);
    return {
      text,
      leaving: those.length,
      uninstalls,
      staying: stay.get(text)?.length ?? 0,
      undecided: open.get(text)?.length ?? 0,
    };
  });
}

/** The counts by what selectors release, then those by entry: several entries may release the same files. */
export function selectedOf(leaving: readonly Leaving[], rest: Rest, selections: readonly Selection[]): Selected[] {
  const wanted = new Set(selections.map(({ text }) => text));
  const emptied = new Set(selections.filter(({ matched }) => matched.length === 0).map(({ text }) => text));
  return [
    ...countsBy(selectionTextOf, leaving, rest).map(({ text, ...counts }) => {
      return { ...counts, isWanted: wanted.has(text), isEmptied: emptied.has(text) };
    }),
    ...countsBy(entryTextOf, leaving, rest).map((counts) => ({ ...counts, isWanted: false, isEmptied: false })),
  ];
}
