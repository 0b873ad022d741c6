import { describe, expect, test } from '@jest/globals';
import { statusTable, type TableOptions } from '#cli/status/model/status-table.js';
import { sortedViews } from '#queries/views/application-view.js';
import type { Application } from '#api/v1alpha1/application.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

const PIPE = { columns: undefined, hasColors: false, hasSymbols: false };
const PLAIN: TableOptions = { allNamespaces: false, wide: false, terminal: PIPE };

function on(columns: number): TableOptions {
  return { ...PLAIN, terminal: { columns, hasColors: false, hasSymbols: true } };
}

function tableOf(applications: readonly Application[], options = PLAIN): string {
  return statusTable(sortedViews(applications), options);
}

/** The message of a HelmRelease whose pods never get ready. */
const TIMEOUT =
  'Helm upgrade failed for release shop/web with chart harbour@1.5.0: timeout waiting for: [Deployment/shop/web: InProgress: Available: 0/1]';

const SHOP = [
  application(
    'cart',
    `
conditions: [{ type: Ready, status: "False", reason: DestinationsFailed, message: "" }]
destinations:
  - { name: prod-shop, cluster: prod, namespace: shop, release: cart, child: { kind: HelmRelease, name: cart-prod }, state: Failed, revision: 1.4.0, message: "HelmRelease shop/cart-prod: ${TIMEOUT}" }
  - { name: stage-shop, cluster: stage, namespace: shop, release: cart, state: Ready, revision: 1.5.0, message: Helm upgrade succeeded }
`,
  ),
  application('broken', STALLED),
  application('web', RUNNING),
];

describe('statusTable', () => {
  test('has a row per destination, and one for an Application without any, worst first', () => {
    const all = [application('web', RUNNING), application('broken', STALLED), application('new')];
    expect(`\n${tableOf(all)}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE         REVISION   MESSAGE
broken        -             -         -           -         Stalled       -          spec.fluxApp.spec.source is missing
new           -             -         -           -         Pending       -          no controller has reconciled it yet
web           prod-app      prod      app         web       Progressing   1.4.2      waiting
web           app           host      app         web       Ready         1.4.2      -
`);
  });

  test('says what is not reconciled yet although all destinations are ready', () => {
    const status = `
observedGeneration: 1
conditions: [{ type: Ready, status: "True", reason: AllReady, message: "the destination is ready" }]
destinations: [{ name: app, cluster: host, namespace: app, release: web, state: Ready, revision: 1.4.2 }]
`;
    expect(`\n${tableOf([application('web', status, '{ generation: 2 }')])}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE         REVISION   MESSAGE
web           -             -         -           -         Progressing   -          the newest change is not reconciled yet
web           app           host      app         web       Ready         1.4.2      -
`);
  });

  test('has a row per warning, behind what is wrong, and none that another row says', () => {
    const held =
      '2 releases would be removed (eu, us). Correct the entries, or approve exactly these: kubectl annotate';
    const warned = application(
      'fleet',
      `
conditions:
  - { type: Ready, status: "True", reason: AllReady, message: "the destination is ready; deploy[1]: no cluster matches" }
  - { type: RemovalsHeld, status: "True", reason: ApprovalRequired, message: "${held}" }
warnings: ["deploy[1]: no cluster matches"]
destinations: [{ name: eu-web, cluster: eu, namespace: web, release: web, state: Ready, revision: 1.0.0 }]
`,
    );
    const empty = application(
      'empty',
      `
conditions: [{ type: Ready, status: "False", reason: NoClusterMatches, message: "there is no destination; deploy[0]: no cluster matches" }]
warnings: ["deploy[0]: no cluster matches"]
`,
    );
    expect(`\n${tableOf([warned, empty, application('broken', STALLED)], on(80))}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE       REVISION
broken        -             -         -           -         ✗ Stalled   -
  spec.fluxApp.spec.source is missing
fleet         -             -         -           -         ● Warning   -
  deploy[1]: no cluster matches
fleet         -             -         -           -         ● Warning   -
  2 releases would be removed (eu, us). Correct the entries, or approve exactly
  these: kubectl annotate
empty         -             -         -           -         ● Pending   -
  there is no destination; deploy[0]: no cluster matches
fleet         eu-web        eu        web         web       ✓ Ready     1.0.0
`);
  });

  test('has a row for a pin, which keeps edits from taking effect', () => {
    const pinned = application(
      'old',
      `
conditions:
  - { type: Ready, status: "True", reason: AllReady, message: "the destination is ready" }
  - { type: Pinned, status: "True", reason: Pinned, message: "pinned to revision 3; to go on: kubectl annotate" }
destinations: [{ name: eu-web, cluster: eu, namespace: web, release: web, state: Ready, revision: 1.0.0 }]
`,
    );
    expect(`\n${tableOf([pinned])}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE     REVISION   MESSAGE
old           -             -         -           -         Warning   -          pinned to revision 3; to go on: kubectl annotate
old           eu-web        eu        web         web       Ready     1.0.0      -
`);
  });

  test.each<[string, string, string, string]>([
    ['Halted', 'False', 'RolloutHalted', 'revision 4: 1 of 2 failed'],
    ['RolledBack', 'False', 'RolledBack', 'revision 4: 1 of 2 failed; retry: kubectl annotate'],
    ['Paused', 'Unknown', 'RolloutPaused', 'revision 4: the annotation gitops.kubesphere.io/pause-rollout is set'],
    ['AwaitingApproval', 'Unknown', 'RolloutAwaitingApproval', 'revision 4: stage "rest": waits; approve: kubectl'],
  ])('has one row for a rollout that is %s, although all destinations are ready', (phase, status, reason, message) => {
    const rolling = application(
      'web',
      `
conditions:
  - { type: Ready, status: "${status}", reason: ${reason}, message: '${message}; deploy[1]: a warning' }
  - { type: RolledOut, status: "False", reason: ${reason}, message: '${message}' }
rollout: { revision: 4, phase: ${phase}, stages: [] }
destinations: [{ name: eu-web, cluster: eu, namespace: web, release: web, state: Ready, revision: 1.0.0 }]
`,
    );
    const [, ...lines] = tableOf([rolling]).split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['web', '-', '-', '-', '-', phase, '-', message],
      ['web', 'eu-web', 'eu', 'web', 'web', 'Ready', '1.0.0', '-'],
    ]);
  });

  test('has a row for a rollout behind a failure that stopped it', () => {
    const stopped = application(
      'web',
      `
conditions:
  - { type: Ready, status: "False", reason: DestinationsFailed, message: "eu-web is Failed: crash" }
  - { type: RolledOut, status: "False", reason: RolloutHalted, message: "revision 4: 1 of 1 failed" }
rollout: { revision: 4, phase: Halted, stages: [] }
destinations: [{ name: eu-web, cluster: eu, namespace: web, release: web, state: Failed, revision: 1.0.0, message: crash }]
`,
    );
    const [, ...lines] = tableOf([stopped]).split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[5])).toEqual(['Failed', 'Halted']);
  });

  test('is whole in a pipe: one line per row, with the cause first', () => {
    expect(`\n${tableOf(SHOP)}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE         REVISION   MESSAGE
broken        -             -         -           -         Stalled       -          spec.fluxApp.spec.source is missing
cart          prod-shop     prod      shop        cart      Failed        1.4.0      timeout waiting for: [Deployment/shop/web: InProgress: Available: 0/1] (Helm upgrade failed for release shop/web with chart harbour@1.5.0)
web           prod-app      prod      app         web       Progressing   1.4.2      waiting
cart          stage-shop    stage     shop        cart      Ready         1.5.0      -
web           app           host      app         web       Ready         1.4.2      -
`);
  });

  test('is as wide as a terminal of 160 columns', () => {
    expect(`\n${tableOf(SHOP, on(160))}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   RELEASE   STATE           REVISION   MESSAGE
broken        -             -         -           -         ✗ Stalled       -          spec.fluxApp.spec.source is missing
cart          prod-shop     prod      shop        cart      ✗ Failed        1.4.0      timeout waiting for: [Deployment/shop/web: InProgress: Available: 0/1]
                                                                                       (Helm upgrade failed for release shop/web with chart harbour@1.5.0)
web           prod-app      prod      app         web       ● Progressing   1.4.2      waiting
cart          stage-shop    stage     shop        cart      ✓ Ready         1.5.0      -
web           app           host      app         web       ✓ Ready         1.4.2      -
`);
  });

  test('has causes below their rows on a terminal of 80 columns', () => {
    expect(`\n${tableOf(SHOP, on(80))}\n`).toBe(`
APPLICATION   DESTINATION   CLUSTER   NAMESPACE   STATE           REVISION
broken        -             -         -           ✗ Stalled       -
  spec.fluxApp.spec.source is missing
cart          prod-shop     prod      shop        ✗ Failed        1.4.0
  timeout waiting for: [Deployment/shop/web: InProgress: Available: 0/1] (Helm
  upgrade failed for release shop/web with chart harbour@1.5.0)
web           prod-app      prod      app         ● Progressing   1.4.2
  waiting
cart          stage-shop    stage     shop        ✓ Ready         1.5.0
web           app           host      app         ✓ Ready         1.4.2
`);
  });

  test('leaves out what tells least on a terminal of 40 columns', () => {
    expect(`\n${tableOf(SHOP.slice(0, 2), on(40))}\n`).toBe(`
APPLICATION   DESTINATION   STATE
broken        -             ✗ Stalled
  spec.fluxApp.spec.source is missing
cart          prod-shop     ✗ Failed
  timeout waiting for:
  [Deployment/shop/web: InProgress:
  Available: 0/1] (Helm upgrade failed
  for release shop/web with chart
  harbour@1.5.0)
cart          stage-shop    ✓ Ready
`);
  });

  test('has a paragraph for each row where columns have no room', () => {
    expect(`\n${tableOf(SHOP.slice(0, 2), on(36))}\n`).toBe(`
APPLICATION   broken
STATE         ✗ Stalled
MESSAGE       spec.fluxApp.spec.sour
              ce is missing

APPLICATION   cart
DESTINATION   prod-shop
STATE         ✗ Failed
MESSAGE       timeout waiting for:
              [Deployment/shop/web:
              InProgress: Available:
              0/1] (Helm upgrade
              failed for release
              shop/web with chart
              harbour@1.5.0)

APPLICATION   cart
DESTINATION   stage-shop
STATE         ✓ Ready
`);
  });

  test.each([20, 40, 80, 100, 160, 300])('has no line wider than a terminal of %d columns', (columns) => {
    for (const wide of [false, true]) {
      const lines = tableOf(SHOP, { ...on(columns), wide, allNamespaces: true }).split('\n');
      expect(lines.filter(({ length }) => length > columns)).toEqual([]);
    }
  });

  test('colours states, and nothing else', () => {
    const terminal = { ...PIPE, hasColors: true };
    const [, stalled, failed, moving, ready] = tableOf(SHOP, { ...PLAIN, terminal }).split('\n');
    expect(stalled).toContain('\u001b[31mStalled    \u001b[39m   -');
    expect(failed).toContain('\u001b[31mFailed     \u001b[39m');
    expect(moving).toContain('\u001b[33mProgressing\u001b[39m');
    expect(ready).toContain('\u001b[32mReady      \u001b[39m');
    expect(ready?.split('\u001b')).toHaveLength(3);
  });

  test('has a row for an Application that is wrong as a whole, above what runs', () => {
    const status = `
conditions:
  - { type: Ready, status: "False", reason: InvalidVersion, message: "chart.version is neither" }
  - { type: Stalled, status: "True", reason: InvalidVersion, message: "" }
destinations:
  - { name: eu, cluster: eu, namespace: app, release: web, state: Failed, message: no such image }
  - { name: us, cluster: us, namespace: app, release: web, state: Suspended, revision: 1.4.2, message: suspended }
`;
    const rows = tableOf([application('web', status)])
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows.slice(1).map((cells) => [cells[1], cells[5], cells.at(-1)])).toEqual([
      ['-', 'Stalled', 'chart.version is neither'],
      ['eu', 'Failed', 'no such image'],
      ['us', 'Suspended', 'suspended'],
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
    expect(tableOf([application('web', status)]).split('\n')).toHaveLength(2);
  });

  test('names the project and more with -A -o wide', () => {
    const options = { ...PLAIN, allNamespaces: true, wide: true };
    const [titles, first] = tableOf([application('web', RUNNING)], options).split('\n');
    expect(titles?.split(/ +/).slice(0, 5)).toEqual(['PROJECT', 'APPLICATION', 'KIND', 'READY', 'DESTINATION']);
    expect(first?.split(/ +/).slice(0, 5)).toEqual(['shop', 'web', 'fluxcd', '1/2', 'prod-app']);
  });

  test.each(['HelmRelease', 'Kustomization'])('leaves the name of a %s to the wide table', (kind) => {
    const child = `{ kind: ${kind}, name: web-eu-abc }`;
    const row = `{ name: eu, child: ${child}, state: Failed, message: "${kind} shop/web-eu-abc: no such image" }`;
    const all = [application('web', `{ conditions: [], destinations: [${row}] }`)];
    expect(tableOf(all)).not.toContain('shop/web-eu-abc');
    expect(tableOf(all, { ...PLAIN, wide: true })).toContain('shop/web-eu-abc');
  });

  test('is quiet about what is well, but not in the wide table', () => {
    const row = '{ name: eu, state: Ready, message: Helm install succeeded }';
    const all = [application('web', `{ conditions: [], destinations: [${row}] }`)];
    expect(tableOf(all)).not.toContain('succeeded');
    expect(tableOf(all, { ...PLAIN, wide: true })).toContain('Helm install succeeded');
  });

  test('never cuts a message', () => {
    const message = 'x'.repeat(200);
    const all = [application('web', `{ conditions: [{ type: Ready, status: "False", message: ${message} }] }`)];
    expect(tableOf(all)).toContain(message);
    expect(tableOf(all, on(80)).replaceAll(/\s/g, '')).toContain(message);
  });
});
