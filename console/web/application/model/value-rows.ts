import { layerText } from '#queries/views/explanation-view.js';
import type { GroupView, ValueView } from '#queries/answers/plans.js';
import { printJson } from '#lib/json/lossless-json.js';
import { pathText } from '#lib/text/text.js';

/** A value as a page shows it. */
export interface ValueRow {
  /** As users write it. */
  readonly key: string;
  /** One for all clusters, without a name, or one for each. */
  readonly values: readonly { readonly cluster: string; readonly text: string }[];
  /** Layer that it is from. */
  readonly from: string;
  /** What the layer says, if that is an expression; else empty. */
  readonly expression: string;
  /** What it replaced; else empty. */
  readonly overrode: string;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : printJson(value);
}

function overrodeText({ overrode }: ValueView, entry: string): string {
  if (overrode === undefined) return '';
  const layer = layerText(overrode.from, entry);
  return 'value' in overrode ? `${printJson(overrode.value)} of ${layer}` : layer;
}

function rowOf(view: ValueView, entry: string): ValueRow {
  const { path, value, perCluster, from, expression } = view;
  const values = perCluster?.map((each) => ({ cluster: each.cluster, text: printJson(each.value) }));
  return {
    key: pathText(path),
    values: values ?? [{ cluster: '', text: printJson(value) }],
    from: layerText(from, entry),
    expression: expression === undefined ? '' : textOf(expression),
    overrode: overrodeText(view, entry),
  };
}

/** The fields of a release and its values, as the command line has them. */
export function valueRows({ entry, fields, values }: GroupView): ValueRow[] {
  const below = values.map((value) => ({ ...value, path: ['values', ...value.path] }));
  return [...fields, ...below].map((view) => rowOf(view, entry));
}

/** Those that have the text in their key, value or layer. */
export function rowsWith(search: string, rows: readonly ValueRow[]): readonly ValueRow[] {
  const text = search.toLowerCase();
  if (text === '') return rows;
  return rows.filter(({ key, values, from, expression, overrode }) =>
    [key, from, expression, overrode, ...values.map((value) => value.text)].some((each) =>
      each.toLowerCase().includes(text),
    ),
  );
}
