import { expect, it } from '@jest/globals';
import { rolloutText } from '#cli/inspect/model/rollout-text.js';
import { widthOf } from '#cli/output/model/text.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { RolloutProgress } from '#queries/answers/rollout-progress.js';
import { rolloutProgress } from '#queries/plans/rollout-progress.js';
import { application } from '../../../support/application.js';
import { generatedPart } from '../../../meta/generated-docs.js';

const NOW = Date.parse('2026-05-04T19:00:00Z');
const NIGHTS = [{ schedule: '0 22 * * *', duration: '6h' }];
const STAGES = [
  { name: 'canary', clusters: { names: ['eu-west'] }, bakeTime: '3h' },
  { name: 'edge', clusters: { names: ['edge-1', 'edge-2'] }, windows: NIGHTS },
  { name: 'rest', approval: true },
];

function row(cluster: string, stage: string, more = ''): string {
  return `  - { name: ${cluster}-shop, cluster: ${cluster}, namespace: shop, release: shop, state: Ready, revision: 6.7.0, message: fine, stage: ${stage}, since: "2026-04-30T19:00:00Z"${more} }`;
}

const WAIT = ', wait: { from: 6, to: 7, since: "2026-05-04T17:00:00Z", reason: ';
const STATUS = `
observedGeneration: 1
rollout:
  revision: 7
  id: 7-5c2e9a1f
  phase: AwaitingWindow
  message: 'stage "edge": waits for its window'
  startedAt: "2026-05-04T17:00:00Z"
  stages:
    - { name: canary, phase: Complete, message: 1 of 1 destinations are ready, startedAt: "2026-05-04T17:00:00Z", settledAt: "2026-05-04T17:10:00Z", total: 1, ready: 1, updating: 0, failed: 0, unreachable: 0, waiting: 0, left: 0 }
    - { name: edge, phase: AwaitingWindow, message: waits for its window, startedAt: "2026-05-04T18:50:00Z", total: 2, ready: 0, updating: 0, failed: 0, unreachable: 1, waiting: 1, left: 0 }
    - { name: rest, phase: Pending, message: 'waits for stage "edge"', total: 2, ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 2, left: 0 }
destinations:
  - { name: edge-2-shop, cluster: edge-2, namespace: shop, release: shop, state: Unreachable, revision: 6.7.0, message: "no answer in time", stage: edge, since: "2026-05-04T18:30:00Z" }
${row('eu-west', 'canary').replace('6.7.0', '6.7.1')}
${row('edge-1', 'edge', `${WAIT}Window }`)}
${row('us-east', 'rest', `${WAIT}Stage }`)}
${row('us-west', 'rest', `${WAIT}Dependency }`)}
`;

function staged(status = STATUS, annotations: Record<string, string> = {}, rollout: object = {}): Application {
  const app = application('shop', status, '{ namespace: my-project }');
  return {
    ...app,
    metadata: { ...app.metadata, annotations },
    spec: { ...app.spec, rollout: { stages: STAGES, ...rollout } },
  };
}

function viewed(app: Application): RolloutProgress {
  const view = rolloutProgress(app, NOW);
  if ('problem' in view) throw new Error(view.problem);
  return view;
}

function textOn(columns: number | undefined, app = staged(), wide = false): string {
  return rolloutText(viewed(app), { wide, now: NOW, terminal: { columns, hasColors: false, hasSymbols: true } });
}

it('is what the docs show on a terminal of 80 columns', () => {
  const picture = `\`\`\`\n${textOn(80)}\n\`\`\``;
  expect(generatedPart('docs/cli.md', 'rollout', picture)).toBe(picture);
});

it.each([80, 100])('fits %i columns, but for the command that people copy', (columns) => {
  const [tables = ''] = textOn(columns).split('\nNext:');
  expect(Math.max(...tables.split('\n').map(widthOf))).toBeLessThanOrEqual(columns);
  expect(tables).toContain('us-west');
});

it('says when the window opens, closes, or that it counts no more', () => {
  const at = (time: string, app = staged()): unknown => {
    const view = rolloutProgress(app, Date.parse(time));
    return 'stages' in view ? view.stages.map(({ window }) => window) : view;
  };
  const opening = { state: 'Closed', until: '2026-05-04T22:00:00Z' };
  // Nothing of the canary waits, and the last stage has no windows.
  expect(at('2026-05-04T19:00:00Z')).toEqual([undefined, opening, undefined]);
  expect(at('2026-05-04T23:00:00Z')).toEqual([undefined, { state: 'Open', until: '2026-05-05T04:00:00Z' }, undefined]);
  const ignored = staged(STATUS, { 'gitops.kubesphere.io/ignore-windows': '7-5c2e9a1f' });
  expect(at('2026-05-04T19:00:00Z', ignored)).toEqual([undefined, { state: 'Ignored' }, undefined]);
  const all = staged(STATUS, {}, { windows: [{ schedule: '0 20 * * *', duration: '1h' }] });
  expect(at('2026-05-04T19:00:00Z', all)).toMatchObject([undefined, opening, { until: '2026-05-04T20:00:00Z' }]);
});

it('says until when a stage bakes', () => {
  const baking = staged(STATUS.replace('phase: Complete', 'phase: Baking'));
  expect(viewed(baking).stages[0]).toMatchObject({ bakesUntil: '2026-05-04T20:10:00Z' });
  expect(textOn(undefined, baking)).toContain('until 2026-05-04 20:10 UTC, in 70m');
});

it.each<[string, string, Record<string, string>, readonly string[]]>([
  ['that waits for a window', STATUS, {}, ['rollout ignore-windows shop --revision 7-5c2e9a1f']],
  [
    'that waits for an approval',
    STATUS.replaceAll('AwaitingWindow', 'AwaitingApproval'),
    {},
    ['rollout approve shop edge --revision 7-5c2e9a1f'],
  ],
  [
    'that waits for an approval without a proof',
    STATUS.replaceAll('phase: AwaitingWindow', 'phase: AwaitingApproval, approval: edge@7@unproven').replace(
      /^ {2}phase: AwaitingApproval, approval: \S+$/m,
      '  phase: AwaitingApproval',
    ),
    {},
    ['rollout approve shop edge --revision 7-5c2e9a1f --unproven'],
  ],
  [
    'that is paused',
    STATUS.replace('  phase: AwaitingWindow', '  phase: Paused'),
    { 'gitops.kubesphere.io/pause-rollout': 'true' },
    ['rollout resume shop'],
  ],
  [
    'of an Application that is pinned',
    STATUS.replace('  phase: AwaitingWindow', '  phase: Paused'),
    { 'gitops.kubesphere.io/pin-revision': '6' },
    ['rollback shop --release'],
  ],
  [
    'that is halted',
    STATUS.replace('  phase: AwaitingWindow', '  phase: Halted\n  failing: [x]'),
    {},
    ['rollout retry shop --revision 7-5c2e9a1f', 'rollout abort shop --revision 7-5c2e9a1f'],
  ],
  [
    'that went back',
    STATUS.replace('  phase: AwaitingWindow', '  phase: RolledBack\n  rolledBack: { to: 6, why: failed }'),
    {},
    ['rollout retry shop --revision 7-5c2e9a1f'],
  ],
  ['that goes on by itself', STATUS.replace('  phase: AwaitingWindow', '  phase: Progressing'), {}, []],
])('names the commands by which a rollout goes on %s', (_, status, annotations, commands) => {
  const wanted = commands.map((each) => `fairlead ${each.replace(/ shop(?: edge)?/, '$& -n my-project')}`);
  expect(viewed(staged(status, annotations)).next.map(({ command }) => command)).toEqual(wanted);
});

it('begins the message of a destination with its cause', () => {
  const failed =
    '{ kind: HelmRelease, name: shop-edge }, message: "HelmRelease my-project/shop-edge: no answer in time"';
  const text = textOn(80, staged(STATUS.replace('message: "no answer in time"', `child: ${failed}`)));
  expect(text).toMatch(/^ {2}no answer in time$/m);
});

it('counts the destinations of which the status does not say more', () => {
  expect(textOn(80)).not.toContain('of which');
  expect(textOn(80, staged(STATUS.replaceAll('total: 2', 'total: 4')))).toContain('and 4 destinations of which');
});

it('says that the status is of an older spec', () => {
  const app = staged();
  expect(textOn(80, { ...app, metadata: { ...app.metadata, generation: 2 } })).toContain('not reconciled yet');
});

it.each<[string, Application, string]>([
  ['no rollout', application('shop', STATUS), 'it has no spec.rollout'],
  ['none that has begun', staged('{}'), 'no rollout of it has begun'],
])('refuses an Application with %s', (_, app, problem) => {
  expect(rolloutProgress(app, NOW)).toEqual({ problem: expect.stringContaining(problem) });
});

it('lets nobody write to the terminal', () => {
  const hostile = staged(
    STATUS.replaceAll('no answer in time', String.raw`a\u001b[31m\nb`).replaceAll('waits for its', String.raw`\u202e`),
  );
  expect(textOn(80, hostile)).not.toMatch(/[\u001b\u202e]/);
});

it.each<[string, (app: Application) => Application, string]>([
  [
    'whose spec is refused',
    (app) => {
      const why = { reason: 'ValuesInvalid', message: 'no such field', lastTransitionTime: '' };
      const stalled = { type: 'Stalled', status: 'True', ...why } as const;
      return {
        ...app,
        status: { ...app.status, conditions: [stalled, { type: 'RolledOut', status: 'False', ...why }] },
      };
    },
    'nothing is rolled out: no such field',
  ],
  [
    'that is being deleted',
    (app) => ({ ...app, metadata: { ...app.metadata, deletionTimestamp: '2026-05-04T18:00:00Z' } }),
    'the Application is being deleted',
  ],
])('offers no command for an Application %s, and says why', (_, change, warning) => {
  const before = viewed(staged());
  expect([before.warnings, before.next.length]).toEqual([[], 1]);
  expect(viewed(change(staged()))).toMatchObject({ warnings: [warning], next: [] });
});

it('offers commands although one destination is stalled', () => {
  const app = staged();
  const stalled = { type: 'Stalled', status: 'True', reason: 'DestinationsFailed', message: 'eu' } as const;
  const conditions = [{ ...stalled, lastTransitionTime: '' }];
  expect(viewed({ ...app, status: { ...app.status, conditions } })).toMatchObject({ warnings: [], next: [{}] });
});

it('offers nothing that is requested already', () => {
  const app = staged(STATUS, { 'gitops.kubesphere.io/ignore-windows': '7-5c2e9a1f' });
  expect(viewed(app).next).toEqual([]);
});
