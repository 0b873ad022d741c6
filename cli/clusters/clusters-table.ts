import type { ClusterView } from '#queries/host/model/cluster-view.js';
import { painted, withSymbol } from '../status/state-style.js';
import type { TableOptions } from '../status/status-table.js';
import { printTable, type Column } from '../table.js';
import type { ProbedView } from './probed-view.js';

export interface ClustersTableOptions extends TableOptions {
  readonly showLabels: boolean;
  readonly probed: boolean;
}

const WORST_FIRST: readonly string[] = ['Lost', 'NotReady', 'Unknown', 'Paused', 'Ready'];

/** As kubectl names kinds of which several groups have one. */
function kindText({ kind, apiGroup }: ClusterView): string {
  return apiGroup === '' ? kind : `${kind}.${apiGroup}`;
}

/** Of a cluster that was probed. */
function reachabilityOf(view: ClusterView | ProbedView): string {
  return 'reachability' in view ? view.reachability : '';
}

function labelText({ labels }: ClusterView): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

function columnsOf({ allNamespaces, wide, showLabels, probed, terminal }: ClustersTableOptions): Column<ClusterView>[] {
  const spare = (rank: number): { spare?: number } => (wide ? {} : { spare: rank });
  return [
    ...(allNamespaces ? [{ title: 'NAMESPACE', value: ({ namespace }: ClusterView) => namespace }] : []),
    { title: 'KIND', value: kindText, ...spare(1) },
    { title: 'NAME', value: ({ name }) => name },
    {
      title: 'STATE',
      value: ({ state }) => withSymbol(state, terminal),
      paint: (cell, { state }) => painted(cell, state, terminal),
    },
    ...(probed ? [{ title: 'REACHABLE', value: reachabilityOf }] : []),
    { title: 'VERSION', value: ({ version }) => version, ...spare(2) },
    { title: 'USED BY', value: ({ usedBy }) => (wide ? usedBy.join(', ') : String(usedBy.length)) },
    ...(showLabels ? [{ title: 'LABELS', value: labelText }] : []),
  ];
}

/** The table of `fairlead clusters`: one row per cluster, worst first. */
export function clustersTable(views: readonly ClusterView[], options: ClustersTableOptions): string {
  const rankOf = ({ state }: ClusterView): number => WORST_FIRST.indexOf(state);
  const rows = [...views].sort((a, b) => rankOf(a) - rankOf(b));
  const text = { title: 'MESSAGE', value: ({ message }: ClusterView) => message };
  return printTable({ columns: columnsOf(options), text, rows }, options.terminal.columns);
}
