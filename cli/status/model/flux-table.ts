import type { FluxObjectStatus, FluxObjectView, NeedView } from '#queries/answers/flux-object.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import { type Column, printTable, stateColumn } from '../../output/model/table.js';
import type { TableOptions } from './status-table.js';

function spareIn(wide: boolean): (rank: number) => { readonly spare?: number } {
  return (rank) => (wide ? {} : { spare: rank });
}

function columnsOf({ allNamespaces, wide, terminal }: TableOptions): Column<FluxObjectView>[] {
  const spare = spareIn(wide);
  return [
    ...(allNamespaces ? [{ title: 'PROJECT', value: ({ namespace }: FluxObjectView) => namespace }] : []),
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'CLUSTER', value: ({ cluster }) => cluster, ...spare(2) },
    { title: 'NAMESPACE', value: ({ targetNamespace }) => targetNamespace, ...spare(3) },
    { title: 'RELEASE', value: ({ release }) => release, ...spare(4) },
    stateColumn(terminal),
    { title: 'REVISION', value: ({ revision }) => revision, ...spare(1) },
  ];
}

/** HelmReleases and Kustomizations like the destinations of Applications: one row per object. */
export function fluxTable(rows: readonly FluxObjectView[], options: TableOptions): string {
  const { wide, terminal } = options;
  const brief = ({ state, message }: FluxObjectView) => (state === 'Ready' ? '' : causeFirst(message));
  const text = { title: 'MESSAGE', value: (row: FluxObjectView) => (wide ? row.message : brief(row)) };
  return printTable({ columns: columnsOf(options), text, rows }, terminal.columns);
}

/** The needs of an object, one row per reference; those in its own namespace are named without that. */
export function needsTable(
  { namespace: own, needs }: FluxObjectStatus,
  { wide, terminal }: Omit<TableOptions, 'allNamespaces'>,
): string {
  const spare = spareIn(wide);
  const columns: Column<NeedView>[] = [
    {
      title: 'NEEDS',
      value: ({ kind, namespace, name }) => `${kind} ${namespace === own ? '' : `${namespace}/`}${name}`,
    },
    stateColumn(terminal),
    { title: 'FIELD', value: ({ field }) => field, ...spare(1) },
  ];
  return printTable(
    { columns, text: { title: 'MESSAGE', value: ({ message }) => message }, rows: needs },
    terminal.columns,
  );
}
