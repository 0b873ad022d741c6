import { cutWithin, listed, oneLine, pathText } from '#lib/text/text.js';
import { printJson } from '#lib/json/lossless-json.js';
import { layerText } from '#queries/views/explanation-view.js';
import type { GroupView, ValueView } from '#queries/answers/plans.js';
import { type Column, printTable } from '../../output/model/table.js';
import { wrap } from '../../output/model/text.js';

export interface TextOptions {
  /** Whole values, and what they replaced. */
  readonly wide: boolean;
  /** Undefined: nobody sees lines end. */
  readonly columns: number | undefined;
}

const MOST_GROUPS = 20;
const MOST_CLUSTERS = 5;
/** Clusters of a value that differs, with -o wide. */
const MOST_VALUES = 10;
const VALUE_CHARACTERS = 40;
const FROM_CHARACTERS = 120;

function short(text: string, most: number, { wide }: TextOptions): string {
  return wide ? text : cutWithin(text, most);
}

function valueText({ value, perCluster }: ValueView, options: TextOptions): string {
  if (perCluster === undefined) return short(printJson(value), VALUE_CHARACTERS, options);
  const texts = perCluster.map(
    (each) => `${short(printJson(each.value), VALUE_CHARACTERS, options)} on ${each.cluster}`,
  );
  return listed(texts, options.wide ? MOST_VALUES : 1);
}

function fromText({ from, expression }: ValueView, { entry }: GroupView, options: TextOptions): string {
  const layer = layerText(from, entry);
  if (expression === undefined) return layer;
  const text = typeof expression === 'string' ? expression : printJson(expression);
  return `${layer}: ${short(text, FROM_CHARACTERS, options)}`;
}

function overrodeText({ overrode }: ValueView, { entry }: GroupView): string {
  if (overrode === undefined) return '';
  const layer = layerText(overrode.from, entry);
  return 'value' in overrode ? `${printJson(overrode.value)} of ${layer}` : layer;
}

function tableOf(group: GroupView, options: TextOptions): string[] {
  const values = group.values.map((value) => ({ ...value, path: ['values', ...value.path] }));
  const rows = [...group.fields, ...values];
  if (rows.length === 0) return [];
  const from: Column<ValueView> = { title: 'FROM', value: (row) => fromText(row, group, options) };
  const columns: Column<ValueView>[] = [
    { title: 'FIELD', value: ({ path }) => pathText(path) },
    { title: 'VALUE', value: (row) => valueText(row, options) },
  ];
  const overrode: Column<ValueView> = { title: 'OVERRODE', value: (row) => overrodeText(row, group) };
  const table = options.wide ? { columns: [...columns, from], text: overrode, rows } : { columns, text: from, rows };
  return printTable(table, options.columns).split('\n');
}

function groupLines(group: GroupView, options: TextOptions): string[] {
  const { entry, clusters, state, reason, message, notRead } = group;
  const width = options.columns ?? Infinity;
  const place = `${entry} on ${listed(clusters, options.wide ? clusters.length : MOST_CLUSTERS)}`;
  const head = state === 'Explained' ? place : `${place}: ${state} (${reason})`;
  const below = notRead.length === 0 ? [] : [`Below these values, and not read: ${notRead.join(', ')}`];
  const indented = wrap(oneLine(message), width - 2).map((line) => `  ${line}`);
  const rest = below.flatMap((line) => wrap(oneLine(line), width));
  return [...wrap(oneLine(head), width), ...indented, ...tableOf(group, options), ...rest];
}

/** Where the values of each group are from, for people. */
export function explainText(groups: readonly GroupView[], options: TextOptions): string {
  const shown = groups.slice(0, options.wide ? groups.length : MOST_GROUPS);
  const texts = shown.map((group) => groupLines(group, options).join('\n'));
  const left = groups.slice(shown.length).reduce((sum, { clusters }) => sum + clusters.length, 0);
  const rest = left === 0 ? [] : [`${left} more destinations: --cluster NAME shows one of them, -o wide all`];
  return [...texts, ...rest].join('\n\n');
}
