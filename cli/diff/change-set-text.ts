import type { DryRun } from '#api/dry-run.js';
import { summaryText } from '#engine/dry-run/change-set.js';
import { defined } from '#lib/plain.js';
import { oneLine } from '#lib/text/text.js';
import type { FileDiff } from './diff-parts.js';

type Change = NonNullable<DryRun['objects']>[number];
type Field = NonNullable<Change['fields']>[number];

/** A field with what it is, and what it would be. */
export function fieldLine({ path, old, new: next }: Field): string {
  const values =
    old === undefined && next === undefined ? 'changed, not shown' : `${old ?? '(none)'} -> ${next ?? '(none)'}`;
  return `  ${path}: ${values}`;
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

/** What files change on the clusters, by Application, for people. */
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
