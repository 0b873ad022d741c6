import { comparedSummary, differs, type ComparedObject, type LiveDiffView } from '#queries/views/live-diff-view.js';
import { defined } from '#lib/plain.js';
import { oneLine } from '#lib/text/text.js';
import { fieldLine } from './change-set-text.js';

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

/** What differs at each destination, for people; what is the same is only counted. */
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
