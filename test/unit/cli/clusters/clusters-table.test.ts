import { expect, test } from '@jest/globals';
import { clustersTable } from '#cli/inspect/model/clusters-table.js';
import type { ClusterView } from '#queries/answers/clusters.js';

function view(name: string, more: Partial<ClusterView> = {}): ClusterView {
  return {
    ...{ apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name },
    ...{ version: 'v1.33.1', state: 'Ready', message: '', labels: { region: 'eu', env: 'prod' }, usedBy: ['shop/web'] },
    ...more,
  };
}

const VIEWS = [
  view('eu'),
  view('us', { state: 'NotReady', message: 'the control plane is not initialized', usedBy: [] }),
  view('gone', { state: 'Lost', version: '', message: 'the inventory does not have it' }),
  view('plain', { apiGroup: '', kind: 'Secret', version: '', state: 'Unknown' }),
];

function tableOf(columns: number | undefined, more: Partial<Parameters<typeof clustersTable>[1]> = {}): string {
  const terminal = { columns, hasColors: false, hasSymbols: columns !== undefined };
  return `\n${clustersTable(VIEWS, { allNamespaces: false, wide: false, showLabels: false, probed: false, terminal, ...more })}\n`;
}

test('a pipe gets one line per cluster, the worst first', () => {
  expect(tableOf(undefined)).toBe(`
KIND                       NAME    STATE      VERSION   USED BY   MESSAGE
Cluster.cluster.x-k8s.io   gone    Lost       -         1         the inventory does not have it
Cluster.cluster.x-k8s.io   us      NotReady   v1.33.1   0         the control plane is not initialized
Secret                     plain   Unknown    -         1         -
Cluster.cluster.x-k8s.io   eu      Ready      v1.33.1   1         -
`);
});

test('a wide table of all namespaces has names and labels', () => {
  const [titles, , , , last] = tableOf(undefined, { allNamespaces: true, wide: true, showLabels: true })
    .trim()
    .split('\n');
  expect(titles).toMatch(/^NAMESPACE +KIND +NAME +STATE +VERSION +USED BY +LABELS +MESSAGE$/);
  expect(last).toMatch(/^fleet .* shop\/web +env=prod,region=eu +-$/);
});

test('a narrow terminal does without versions, then without kinds', () => {
  expect(tableOf(60)).toBe(`
KIND                       NAME    STATE        USED BY
Cluster.cluster.x-k8s.io   gone    ✗ Lost       1
  the inventory does not have it
Cluster.cluster.x-k8s.io   us      ✗ NotReady   0
  the control plane is not initialized
Secret                     plain   ● Unknown    1
Cluster.cluster.x-k8s.io   eu      ✓ Ready      1
`);
  expect(tableOf(40)).toContain('NAME    STATE        USED BY\ngone    ✗ Lost       1\n');
});
