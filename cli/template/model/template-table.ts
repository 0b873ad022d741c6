import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { listed, oneLine } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import { printYaml } from '#lib/yaml/yaml.js';
import type { TemplateDetail } from '#queries/views/template-view.js';
import type { TemplateRevisionView, TemplateView } from '#queries/answers/templates.js';
import { ageOf, type SourceTableOptions } from '../../inspect/model/source-table.js';
import { painted } from '../../output/model/terminal.js';
import { byState, type Column, printTable, stateColumn } from '../../output/model/table.js';
import { hanging, plainLines } from '../../output/model/text.js';

/** Names that a cell has room for. */
const NAMED = 3;

/** `podinfo 1.x`, or the path of a KustomizationTemplate. */
function contentOf({ kind, chart, version, path }: TemplateView): string {
  if (kind === 'KustomizationTemplate') return path === '' ? '.' : path;
  return version === '' ? chart : `${chart} ${version}`;
}

function columnsOf({ allNamespaces, wide, terminal, now }: SourceTableOptions): Column<TemplateView>[] {
  const spare = (rank: number): { spare?: number } => (wide ? {} : { spare: rank });
  const more: Column<TemplateView>[] = [
    { title: 'SOURCE', value: ({ source }) => source },
    { title: 'SHARED WITH', value: ({ sharedWith }) => sharedWith.join(', ') },
    { title: 'SAVED BY', value: ({ savedBy }) => savedBy },
  ];
  return [
    ...(allNamespaces ? [{ title: 'NAMESPACE', value: ({ namespace }: TemplateView) => namespace }] : []),
    { title: 'KIND', value: ({ kind }) => kind, ...spare(3) },
    { title: 'NAME', value: ({ name }) => name },
    stateColumn(terminal),
    { title: 'REVISION', value: ({ revision }) => (revision === 0 ? '' : String(revision)), ...spare(1) },
    { title: 'CHART OR PATH', value: contentOf },
    { title: 'USED BY', value: ({ usedBy }) => String(usedBy) },
    { title: 'AGE', value: ({ createdAt }) => ageOf(createdAt, now), ...spare(2) },
    ...(wide ? more : []),
  ];
}

/** The table of `fairlead template list`: one row per template, worst first. */
export function templateTable(views: readonly TemplateView[], options: SourceTableOptions): string {
  const rows = byState(views, WORST_FIRST);
  const shown = ({ state, message }: TemplateView): string => (state === 'Ready' && !options.wide ? '' : message);
  const table = { columns: columnsOf(options), text: { title: 'MESSAGE', value: shown }, rows };
  return printTable(table, options.terminal.columns);
}

function revisionTable(rows: readonly TemplateRevisionView[], { wide, terminal, now }: SourceTableOptions): string {
  const most = wide ? Infinity : NAMED;
  const columns: Column<TemplateRevisionView>[] = [
    { title: 'REVISION', value: ({ revision }) => String(revision) },
    { title: 'AGE', value: ({ createdAt }) => ageOf(createdAt, now) },
    { title: 'USED BY', value: ({ usedBy }) => listed(usedBy, most) },
  ];
  const text = { title: 'CHANGE', value: ({ changes }: TemplateRevisionView) => listed(changes, most) };
  return printTable({ columns, text, rows }, wide ? undefined : terminal.columns);
}

function factsOf(detail: TemplateDetail, { wide, terminal }: SourceTableOptions): string[] {
  const { message, sharedWith, savedBy, users } = detail;
  const most = wide ? Infinity : NAMED;
  const facts: readonly (readonly [string, string])[] = [
    ['Message', message],
    ['Shared with', listed(sharedWith, most)],
    ['Saved by', savedBy === '' ? '' : `Application ${savedBy}`],
    ['Used by', listed(users, most)],
  ];
  return facts.flatMap(([title, text]) =>
    hanging(`${title}:`.padEnd(14), oneLine(text) || '-', wide ? undefined : terminal.columns),
  );
}

/** What `fairlead template show` prints: the state, who uses it, its revisions and its spec. */
export function templateText(detail: TemplateDetail, options: SourceTableOptions): string {
  const { kind, namespace, name, state, revisions, spec } = detail;
  const head = `${describeObject(kind, { namespace, name })}  ${painted(state, state, options.terminal)}`;
  return [
    head,
    ...factsOf(detail, options),
    ...(revisions.length === 0 ? [] : ['', revisionTable(revisions, options)]),
    '',
    plainLines(printYaml({ spec }).trimEnd()),
  ].join('\n');
}
