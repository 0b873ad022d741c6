import sortBy from 'lodash/sortBy.js';
import sumBy from 'lodash/sumBy.js';
import uniq from 'lodash/uniq.js';
import { DRY_RUN_ACTIONS, type DryRun, type PlannedChange } from '#api/dry-run.js';
import { changeSet, LIMITS, type Limits, summaryText } from '#engine/dry-run/change-set.js';
import { defined } from '#lib/plain.js';
import { oneLine, pointerText } from '#lib/text/text.js';
import { comparedSummary, differs } from '#queries/views/live-diff-view.js';
import type { ComparedObject, LiveDiffView } from '#queries/answers/members.js';

/** Nothing is left out but what nobody reads: a summary of a million fields. */
export const PRINTED: Limits = {
  ...LIMITS,
  ...{ objects: Infinity, bytes: Infinity, fields: 500, value: 2_000, path: 1_000 },
};

/** The changes of the children of one Application. */
export interface DiffPart {
  /** With its namespace. */
  readonly name: string;
  readonly changes: readonly PlannedChange[];
  /** Number of children that stay as they are. */
  readonly unchanged: number;
  /** Remarks for the user. */
  readonly notes: readonly string[];
  /** The reasons why parts are not compared. */
  readonly problems: readonly string[];
}

/** The changes of the children of all Applications of some files. */
export interface FileDiff extends Pick<DiffPart, 'notes' | 'problems'> {
  /** By Application, those of which something changes, the worst first. */
  readonly changes: readonly { readonly name: string; readonly changes: DryRun }[];
  /** The counts over all Applications. */
  readonly summary: DryRun['summary'];
}

function listing(changes: readonly PlannedChange[], unchanged: number): DryRun {
  return changeSet({ changes, unchanged, observedGeneration: 0, now: '' }, undefined, PRINTED);
}

export function fileDiffOf(parts: readonly DiffPart[]): FileDiff {
  const all = parts.map(({ name, changes, unchanged }) => ({ name, changes: listing(changes, unchanged) }));
  // The first one has the worst action.
  const rank = ({ objects: [worst] = [] }: DryRun): number =>
    worst === undefined ? Infinity : DRY_RUN_ACTIONS.indexOf(worst.action);
  const differing = all.filter(({ changes }) => changes.objects !== undefined);
  const objects = parts.flatMap(({ changes }) => changes);
  return {
    changes: sortBy(differing, ({ changes }) => rank(changes)),
    summary: listing(objects, sumBy(parts, 'unchanged')).summary,
    notes: uniq(parts.flatMap(({ notes }) => notes)),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

type Change = NonNullable<DryRun['objects']>[number];
type Field = NonNullable<Change['fields']>[number];

/** A field with what it is, and what it would be. */
function fieldText({ path, old, new: next }: Field): string {
  const values =
    old === undefined && next === undefined ? 'changed, not shown' : `${old ?? '(none)'} -> ${next ?? '(none)'}`;
  return `${pointerText(path)}: ${values}`;
}

function fieldLine(field: Field): string {
  return `  ${fieldText(field)}`;
}

/** The first fields of a change in one line; empty if it has none. */
export function fieldsText({ fields = [], moreFields = 0 }: Change, most: number): string {
  const more = Math.max(0, fields.length - most) + moreFields;
  const shown = fields.slice(0, most).map(fieldText).join(', ');
  return more > 0 ? `${shown} and ${more} more fields` : shown;
}

function changeLines({ action, kind, namespace, name, message, fields = [], moreFields = 0 }: Change): string[] {
  const subject = [kind, namespace, name].filter((part) => part !== undefined).join('/');
  return [
    `${action} ${subject}${message === undefined ? '' : ` (${message})`}`,
    ...fields.map(fieldLine),
    ...(moreFields === 0 ? [] : [`  and ${moreFields} more fields`]),
  ];
}

/** Blanks at the beginning stay; whatever else comes from a cluster is made harmless. */
function printable(line: string): string {
  return `${line.startsWith('  ') ? '  ' : ''}${oneLine(line)}`;
}

function changedLines({ objects = [], more = 0 }: DryRun): string[] {
  return [...objects.flatMap(changeLines), ...(more === 0 ? [] : [`and ${more} more objects`])];
}

/** A change set for people: what would be done, each object with its fields, and the counts. */
export function changeSetText(dryRun: DryRun): string {
  const { action } = dryRun;
  const lines = [...(action === undefined ? [] : [action]), ...changedLines(dryRun), summaryText(dryRun)];
  return lines.map(printable).join('\n');
}

/** The same for programs. */
export function fileDiffListing({ changes, ...rest }: FileDiff): object {
  const applications = changes.map(({ name, changes: { summary, objects, more } }) => ({
    ...{ name, summary },
    ...defined({ objects, more }),
  }));
  return { applications, ...rest };
}

/** Prints which files change on the clusters, by Application, for people. */
export function fileDiffText({ changes, summary }: Pick<FileDiff, 'changes' | 'summary'>): string {
  const blocks = changes.map((each) => [`Application ${each.name}`, ...changedLines(each.changes)]);
  return [...blocks.flat(), summaryText({ summary })].map(printable).join('\n');
}

/** As kubectl diff: 0 without differences, 1 with some, 2 if something failed. */
export function exitCodeOf({ summary }: Pick<DryRun, 'summary'>): 0 | 1 | 2 {
  const { failed, created, changed, recreated, deleted, held = 0 } = summary;
  if (failed > 0) return 2;
  return created + changed + recreated + deleted + held > 0 ? 1 : 0;
}

function objectLines({ state, kind, namespace, name, message, fields, moreFields }: ComparedObject): string[] {
  const subject = [kind, namespace, name].filter((part) => part !== '').join('/');
  return [
    `${state} ${subject}${message === '' ? '' : ` (${message})`}`,
    ...fields.map(({ path, live: old, wanted }) => fieldLine({ path, ...defined({ old, new: wanted }) })),
    ...(moreFields === 0 ? [] : [`  and ${moreFields} more fields`]),
  ];
}

function destinationLines(view: LiveDiffView): string[] {
  const { cluster, child, name, note, problem } = view;
  const shown = view.objects.filter(({ state }) => state !== 'same');
  const found = view.objects.length === 0 && problem !== '' ? [] : [comparedSummary(view)];
  return [
    `${child === '' ? name : child} on ${cluster}`,
    ...[...shown.flatMap(objectLines), ...found].map((line) => `  ${line}`),
    ...(note === '' ? [] : [`  note: ${note}`]),
    ...(problem === '' ? [] : [`  not read: ${problem}`]),
  ];
}

/** Prints the differences at each destination, for people; equal objects are only counted. */
export function liveDiffText(views: readonly LiveDiffView[]): string {
  const lines = views.flatMap(destinationLines);
  // Blanks at the beginning stay; whatever else comes from a cluster is made harmless.
  return lines.map((line) => `${/^ */.exec(line)?.[0] ?? ''}${oneLine(line)}`).join('\n');
}

/** As kubectl diff: 0 without differences, 1 with some, 2 if something could not be compared. */
export function liveExitCode(views: readonly LiveDiffView[]): 0 | 1 | 2 {
  const objects = views.flatMap((view) => view.objects);
  const isUnread = objects.some(({ state }) => state === 'unreadable') || views.some(({ problem }) => problem !== '');
  if (isUnread) return 2;
  return objects.some(differs) ? 1 : 0;
}
