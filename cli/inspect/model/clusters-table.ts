import type { Finding } from '#controllers/cluster/model/probe.js';
import { listed } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import type { ClusterView } from '#queries/answers/clusters.js';
import type { TableOptions } from '../../status/model/status-table.js';
import { byState, type Column, printTable, stateColumn } from '../../output/model/table.js';

/** Of clusters that are the same one. */
const MAX_NAMES = 3;

/** What was found, or why nobody asked. */
export type ProbeFinding = Finding | { readonly reachability: 'NotProbed'; readonly message: string };

/** By the identity of the cluster. */
export type Findings = ReadonlyMap<string, ProbeFinding>;

export interface ProbedView extends ClusterView {
  readonly reachability: ProbeFinding['reachability'];
}

function idText({ apiGroup, kind, namespace, name }: ClusterView): string {
  return [apiGroup, kind, namespace, name].join('/');
}

/** What tells clusters apart: an address may be one of several of the same cluster. */
function identityOf(finding: ProbeFinding | undefined): string | undefined {
  return finding?.reachability === 'Reachable' ? (finding.uid ?? finding.server) : undefined;
}

function nameOf({ kind, namespace, name }: ClusterView): string {
  return describeObject(kind, namespace === '' ? { name } : { namespace, name });
}

/** Views by what tells clusters apart. */
function byIdentity(views: readonly ClusterView[], findings: Findings): ReadonlyMap<string, readonly ClusterView[]> {
  const known = new Map<string, ClusterView[]>();
  for (const view of views) {
    const identity = identityOf(findings.get(idText(view)));
    if (identity !== undefined) known.set(identity, [...(known.get(identity) ?? []), view]);
  }
  return known;
}

/** The views with what was found: the version of a cluster, whether it answers, and whether it is there twice. */
export function probedViews(views: readonly ClusterView[], findings: Findings): ProbedView[] {
  const known = byIdentity(views, findings);
  return views.map((view) => {
    const finding = findings.get(idText(view));
    if (finding === undefined) return { ...view, reachability: 'NotProbed' };
    const { reachability } = finding;
    if (finding.reachability !== 'Reachable') return { ...view, reachability, message: finding.message };
    const same = (known.get(identityOf(finding) ?? '') ?? []).filter((other) => other !== view).map(nameOf);
    const message = same.length === 0 ? view.message : `it is the same cluster as ${listed(same, MAX_NAMES)}`;
    return { ...view, reachability, version: finding.version ?? view.version, message };
  });
}

export interface ClustersTableOptions extends TableOptions {
  readonly showLabels: boolean;
  readonly probed: boolean;
}

const WORST_FIRST: readonly string[] = ['Lost', 'NotReady', 'Unknown', 'Paused', 'Ready'];

/** As kubectl names kinds of which several groups have one. */
function kindText({ kind, apiGroup }: ClusterView): string {
  return apiGroup === '' ? kind : `${kind}.${apiGroup}`;
}

/** The reachability of a cluster that was probed; empty for one that was not. */
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
    stateColumn(terminal),
    ...(probed ? [{ title: 'REACHABLE', value: reachabilityOf }] : []),
    { title: 'VERSION', value: ({ version }) => version, ...spare(2) },
    { title: 'USED BY', value: ({ usedBy }) => (wide ? usedBy.join(', ') : String(usedBy.length)) },
    ...(showLabels ? [{ title: 'LABELS', value: labelText }] : []),
  ];
}

/** The table of `fairlead clusters`: one row per cluster, worst first. */
export function clustersTable(views: readonly ClusterView[], options: ClustersTableOptions): string {
  const rows = byState(views, WORST_FIRST);
  const text = { title: 'MESSAGE', value: ({ message }: ClusterView) => message };
  return printTable({ columns: columnsOf(options), text, rows }, options.terminal.columns);
}
