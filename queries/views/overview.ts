import type { OverviewCell, OverviewRow } from '../answers/application.js';
import type { Application } from '#api/v1alpha1/application.js';
import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { keyOf } from '#lib/kube/keys.js';
import { cutWithin } from '#lib/text/text.js';
import { viewOf } from './application-view.js';
import { causeFirst } from './state-meaning.js';

/** An overview as JSON: what it has before its rows, and its rows by NAMESPACE/NAME. */
export interface PrintedOverview {
  readonly head: string;
  readonly rows: ReadonlyMap<string, string>;
}

/** An update whose rows are JSON, by NAMESPACE/NAME. */
export interface PrintedUpdate {
  readonly changed: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
}

/** The rest is on the page of the Application. */
const MOST_CHARACTERS = 240;
const STATES: readonly string[] = WORST_FIRST;
/** A state that this version does not know is neither good nor bad. */
const UNKNOWN = STATES.indexOf('Pending');

interface Place {
  readonly cluster: string;
  readonly state: number;
  readonly destinations: number;
}

type RowWithPlaces = Omit<OverviewRow, 'cells'> & { readonly places: readonly Place[] };

const rows = new WeakMap<Application, RowWithPlaces>();

function placesOf(destinations: readonly { cluster: string; state: string }[]): Place[] {
  const places = new Map<string, Place>();
  for (const { cluster, state } of destinations) {
    const rank = STATES.includes(state) ? STATES.indexOf(state) : UNKNOWN;
    const known = places.get(cluster);
    const worst = Math.min(rank, known?.state ?? rank);
    places.set(cluster, { cluster, state: worst, destinations: (known?.destinations ?? 0) + 1 });
  }
  return [...places.values()];
}

/** Derived once: what is cached does not change. */
function rowOf(application: Application): RowWithPlaces {
  const known = rows.get(application);
  if (known !== undefined) return known;
  const { namespace, name, kind, state, ready, revision, message, destinations } = viewOf(application);
  const text = state === 'Ready' ? '' : cutWithin(causeFirst(message), MOST_CHARACTERS);
  const row = { namespace, name, kind, state, ready, revision, message: text, places: placesOf(destinations) };
  rows.set(application, row);
  return row;
}

function clustersOf(found: readonly RowWithPlaces[]): string[] {
  const clusters = new Set<string>();
  for (const { places } of found) for (const { cluster } of places) clusters.add(cluster);
  return [...clusters].sort();
}

/**
 * Prints overviews of the same reader, one after the other: only rows that changed are printed again. Reads the
 * statuses only. The clusters are those that destinations name, by name: the cells of others would say that there are
 * more.
 */
export class OverviewPrinter {
  #head = '';
  #printed = new WeakMap<Application, string>();

  print(applications: readonly Application[]): PrintedOverview {
    const clusters = clustersOf(applications.map(rowOf));
    const head = `"clusters":${JSON.stringify(clusters)},"states":${JSON.stringify(STATES)}`;
    if (head !== this.#head) this.#printed = new WeakMap();
    this.#head = head;
    const indexes = new Map(clusters.map((cluster, index) => [cluster, index]));
    return { head, rows: new Map(applications.map((each) => [keyOf(each.metadata), this.#row(each, indexes)])) };
  }

  #row(application: Application, indexes: ReadonlyMap<string, number>): string {
    const known = this.#printed.get(application);
    if (known !== undefined) return known;
    const { places, ...row } = rowOf(application);
    const cells = places.map(({ cluster, state, destinations }): OverviewCell => [
      indexes.get(cluster) ?? -1,
      state,
      destinations,
    ]);
    const text = JSON.stringify({ ...row, cells } satisfies OverviewRow);
    this.#printed.set(application, text);
    return text;
  }
}

/** An `Overview`. */
export function overviewText({ head, rows }: PrintedOverview): string {
  return `{${head},"applications":[${[...rows.values()].join(',')}]}`;
}

/** An `OverviewUpdate`. */
export function updateText({ changed, removed }: PrintedUpdate): string {
  return `{"changed":[${[...changed.values()].join(',')}],"removed":${JSON.stringify([...removed])}}`;
}

/** What makes the one of the other; undefined if they name other clusters, to which cells refer. */
export function updateBetween(before: PrintedOverview, now: PrintedOverview): PrintedUpdate | undefined {
  if (before.head !== now.head) return undefined;
  return {
    // A row that did not change is the same text: to compare it costs nothing.
    changed: new Map([...now.rows].filter(([key, text]) => before.rows.get(key) !== text)),
    removed: new Set([...before.rows.keys()].filter((key) => !now.rows.has(key))),
  };
}

/** One update that does what these do, one after the other. */
export function mergedUpdate(updates: readonly PrintedUpdate[]): PrintedUpdate {
  const changed = new Map<string, string>();
  const removed = new Set<string>();
  for (const update of updates) {
    for (const key of update.removed) {
      changed.delete(key);
      removed.add(key);
    }
    for (const [key, text] of update.changed) {
      removed.delete(key);
      changed.set(key, text);
    }
  }
  return { changed, removed };
}
