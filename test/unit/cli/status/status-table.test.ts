import { describe, expect, test } from '@jest/globals';
import { statusTable } from '#cli/status/status-table.js';
import { sortedViews } from '#controllers/read-model/application-view.js';
import { application, RUNNING, STALLED } from '#test/support/application.js';

describe('statusTable', () => {
  test('has a row per destination, and one for an Application without any', () => {
    const views = sortedViews([application('web', RUNNING), application('broken', STALLED), application('new')]);
    expect(`\n${statusTable(views, { allNamespaces: false, wide: false })}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE         REVISION   MESSAGE
broken        -             -         -           -         Stalled       -          spec.fluxApp.spec.source is missing
new           -             -         -           -         Pending       -          no controller has reconciled it yet
web           prod-app      prod      app         web       Progressing   1.4.2      waiting
web           app           host      app         web       Ready         1.4.2      -
`);
  });

  test('has a row for an Application that is wrong as a whole, above what runs', () => {
    const status = `
conditions:
  - { type: Ready, status: "False", reason: InvalidVersion, message: "chart.version is neither" }
  - { type: Stalled, status: "True", reason: InvalidVersion, message: "" }
destinations:
  - { name: eu, cluster: eu, namespace: app, release: web, state: Failed, message: no such image }
  - { name: us, cluster: us, namespace: app, release: web, state: Ready, revision: 1.4.2 }
`;
    const table = statusTable(sortedViews([application('web', status)]), { allNamespaces: false, wide: false });
    const rows = table.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(1).map((cells) => [cells[1], cells[5], cells.at(-1)])).toEqual([
      ['-', 'Stalled', 'chart.version is neither'],
      ['eu', 'Failed', 'no such image'],
      ['us', 'Ready', '-'],
    ]);
  });

  test.each([
    ['a failed destination', 'DestinationsFailed', 'eu is Failed: no such image'],
    ['a rejected entry', 'InvalidName', 'no such image'],
  ])('leaves %s to its row', (_, reason, message) => {
    const status = `
conditions: [{ type: Ready, status: "False", reason: ${reason}, message: "${message}" }]
destinations: [{ name: eu, state: Failed, message: no such image }]
`;
    const table = statusTable(sortedViews([application('web', status)]), { allNamespaces: false, wide: false });
    expect(table.split('\n')).toHaveLength(2);
  });

  test('names the project and more with -A -o wide', () => {
    const views = sortedViews([application('web', RUNNING)]);
    const [titles, first] = statusTable(views, { allNamespaces: true, wide: true }).split('\n');
    expect(titles?.split(/ +/).slice(0, 5)).toEqual(['PROJECT', 'APPLICATION', 'KIND', 'READY', 'DESTINATION']);
    expect(first?.split(/ +/).slice(0, 5)).toEqual(['shop', 'web', 'fluxcd', '1/2', 'prod-app']);
  });

  test.each(['HelmRelease', 'Kustomization'])('leaves the name of a %s to the wide table', (kind) => {
    const child = `{ kind: ${kind}, name: web-eu-abc }`;
    const row = `{ name: eu, child: ${child}, state: Failed, message: "${kind} shop/web-eu-abc: no such image" }`;
    const views = sortedViews([application('web', `{ conditions: [], destinations: [${row}] }`)]);
    expect(statusTable(views, { allNamespaces: false, wide: false })).not.toContain('shop/web-eu-abc');
    expect(statusTable(views, { allNamespaces: false, wide: true })).toContain('shop/web-eu-abc');
  });

  test('cuts long messages, but not in the wide table', () => {
    const message = 'x'.repeat(200);
    const views = sortedViews([
      application('web', `{ conditions: [{ type: Ready, status: "False", message: ${message} }] }`),
    ]);
    expect(statusTable(views, { allNamespaces: false, wide: false })).toContain(`${'x'.repeat(77)}...`);
    expect(statusTable(views, { allNamespaces: false, wide: true })).toContain(message);
  });
});
