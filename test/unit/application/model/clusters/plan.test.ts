import type { Application } from '#api/v1alpha1/application.js';
import { describe, expect, it, test } from '@jest/globals';
import { expand } from '#controllers/application/model/destinations/expand.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import type { FindOwner } from '#controllers/application/model/destinations/rejected.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import { rowsOf } from '#controllers/application/model/status/rows.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import type { ChildPlan } from '#controllers/application/model/plan-children.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import {
  application,
  applied,
  deploy,
  entriesOf,
  NO_TEMPLATES,
  observed,
  ops,
  reporting,
  type Deploy,
  decide,
  planChildren,
} from '../builders.js';
import { central, inventory, own, selecting } from './builders.js';

const PROD = { env: 'prod' };
const GRANTED = { env: 'prod', granted: 'yes' };

function plan(
  clusters: readonly Cluster[],
  entries: Deploy[],
  owned: readonly Child[] = [],
  { otherOwnerOf = () => undefined, ...more }: Partial<ClusterView> & { readonly otherOwnerOf?: FindOwner } = {},
): ChildPlan {
  const app = application(entries);
  const view = inventory(clusters, more);
  const expansion = expand(draftsOf(app), 'shop', view);
  if ('violation' in expansion) throw new Error(expansion.violation.message);
  const names = new Set(owned.map(({ metadata }) => metadata.name));
  const seen = {
    application: app,
    owned,
    adoptable: [],
    complete: true,
    otherOwnerOf,
    clusters: view,
  };
  const isTaken = (name: string): boolean => names.has(name);
  const rest = { lacksSecret: () => false, isTaken, chartOf: () => undefined, sourceOf: () => undefined };
  const timing = { unmatchedForMs: () => 0, delayMs: 1, nowMs: 0, revisions: undefined };
  return planChildren(
    { ...seen, ...rest, ...timing },
    { entries: entriesOf(app, view), violationOf: () => undefined, selections: expansion.selections },
  );
}

function whys({ steps }: ChildPlan): string[] {
  return steps.map(({ op, why }) => `${op}: ${why}`);
}

describe('a cluster of the inventory', () => {
  it('gets nothing while it is paused, and keeps what it has', () => {
    const eu = own('eu', PROD);
    const paused = [{ ...eu, isPaused: true }];
    const children = applied([], plan([eu], [selecting(PROD)]).steps);
    expect(whys(plan(paused, [selecting(PROD)]))).toEqual(['wait: waiting: cluster eu is paused']);
    expect(ops(plan(paused, [selecting(PROD)], children).steps)).toEqual(['keep']);
    const changed = [selecting(PROD, [], { values: { a: 1 } })];
    expect(plan(paused, changed, children).steps).toMatchObject([
      { op: 'wait', why: 'waiting: cluster eu is paused', hold: 'ClusterPaused' },
    ]);
    // What is in the way is not the cluster.
    const leaving = children.map((child): Child => {
      return { ...child, metadata: { ...child.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    });
    expect(plan(paused, changed, leaving).steps).toMatchObject([{ op: 'wait', hold: 'Release' }]);
    expect(ops(plan([eu], changed, children).steps)).toEqual(['update']);
  });

  it('gets nothing new without a credential', () => {
    const profile = own('eu', PROD, { credential: { type: 'none', why: 'it is a program' } });
    const waiting = 'wait: waiting: cluster eu has no credential: it is a program';
    expect(whys(plan([profile], [selecting(PROD)]))).toEqual([waiting]);
    expect(plan([profile], [selecting(PROD)]).steps).toMatchObject([{ hold: 'Credential' }]);
  });

  it('lacks a kubeconfig that is not for users to create, and says where the cause is', () => {
    const messageFor = (cluster: Cluster, reason: string): string | undefined => {
      const { steps, rejected } = plan([cluster], [selecting(GRANTED)]);
      const [child] = applied([], steps).map((each) => reporting(each, 'False', reason, 'create the Secret'));
      const outcomes = steps.map((step) => ({ step, child }));
      return rowsOf({ outcomes, rejected })[0]?.message;
    };
    const missing = messageFor(central('eu', GRANTED), 'KubeConfigSecretNotFound');
    expect(missing).toMatch(
      /^HelmRelease shop\/web-.*: there is no kubeconfig of cluster eu yet, .* kubectl describe helmrelease web-\S+ -n shop$/,
    );
    expect(messageFor(central('eu', GRANTED), 'KubeConfigInvalid')).toContain('create the Secret');
    expect(messageFor(own('eu', GRANTED), 'KubeConfigSecretNotFound')).toContain('create the Secret');
  });

  it('has its UID recorded by one write, whenever that becomes known', () => {
    const known = (owned: readonly Child[], uid?: string) =>
      plan([own('eu', PROD)], [selecting(PROD)], owned, { uidOf: () => uid });
    const before = applied([], known([]).steps);
    const { steps } = known(before, 'a');
    expect(whys({ ...known([]), steps })).toEqual(['update: the UID of its cluster is recorded']);
    const after = applied(before, steps);
    expect([known(after, 'a'), known(after)].map((each) => ops(each.steps))).toEqual([['keep'], ['keep']]);
  });

  it('gets children once it is ready, or nothing is known, and keeps them', () => {
    const [eu, unknown] = (['NotReady', 'Unknown'] as const).map((state) =>
      own('eu', PROD, { readiness: { state, message: 'no route' } }),
    );
    const { steps } = plan([unknown!], [selecting(PROD)]);
    expect(ops(steps)).toEqual(['create']);
    expect(ops(plan([eu!], [selecting(PROD)]).steps)).toEqual(['wait']);
    expect(ops(plan([eu!], [selecting(PROD)], applied([], steps)).steps)).toEqual(['keep']);
  });

  it('may be one of many for an entry with a name', () => {
    const named = selecting(PROD, [], { name: 'fleet' });
    expect(ops(plan([own('eu', PROD), own('us', PROD)], [named]).steps)).toEqual(['create', 'create']);
    const [first] = plan([own('eu', PROD)], [named, deploy('other', undefined, { name: 'fleet' })]).rejected;
    expect(first?.violation.message).toContain(
      'deploy[0].name and spec.fluxApp.spec.config.helmRelease.deploy[1].name',
    );
  });

  it('that two entries select for one release is rejected for both, and no other one', () => {
    const clusters = [own('eu', { ...PROD, region: 'eu' }), own('us', PROD)];
    const { steps, rejected } = plan(clusters, [selecting(PROD), selecting({ region: 'eu' })]);
    expect(ops(steps)).toEqual(['create', 'wait', 'wait']);
    expect(rejected.map(({ violation }) => violation.message)).toEqual([
      expect.stringMatching(
        /deploy\[0\] \(cluster eu\) and .*deploy\[1\] \(cluster eu\) define the same release web\/web/,
      ),
      expect.stringMatching(
        /deploy\[0\] \(cluster eu\) and .*deploy\[1\] \(cluster eu\) define the same release web\/web/,
      ),
    ]);
  });

  it('that is reached as the host now keeps what a lost selector would install there', () => {
    const children = applied([], plan([central('eu', GRANTED)], [selecting(PROD)]).steps);
    const host = central('eu', GRANTED, { isHost: true });
    const others = [deploy('shop'), selecting(PROD, [], { releaseName: 'other' })];
    const [first, ...rest] = plan([host], others, children).steps;
    expect(rest.map(({ op }) => op)).toContain('spare');
    expect(first).toMatchObject({ op: 'wait', why: expect.stringContaining('the entry is for the host cluster') });
  });

  it('that waits for its stage keeps the host, the canary, from its release until its removal is approved', () => {
    const clusters = [own('eu', PROD)];
    const other = selecting(PROD, [], { name: 'other', releaseName: 'other' });
    const host = deploy('ops', undefined, { name: 'ops', releaseName: 'ops' });
    const before = plan(clusters, [host, selecting(PROD, [], { name: 'web' }), other]).steps;
    const running = applied([], before).map((child) => reporting(child, 'True', 'InstallSucceeded'));
    const view = inventory(clusters);
    const base = application([host, deploy('web', undefined, { name: 'main' }), { ...other, values: { a: 2 } }]);
    const rollout = { stages: [{ name: 'canary', clusters: { names: ['host'] } }] };
    const app: Application = { ...base, spec: { ...base.spec, rollout } };
    const history = { current: 2, isKept: true, remove: [] };
    const revisions = { history, pins: readPins(app), earlier: new Map() };
    const decided = (now: Application) => {
      const validation = validate(now, { templates: NO_TEMPLATES, clusters: view }, { allowCrossNamespace: false });
      if (validation === 'pending') throw new Error('there is no template');
      return decide({ ...observed(now, running), validation, clusters: view, revisions });
    };
    const held = decided(app);
    expect(held.steps).not.toContainEqual(expect.objectContaining({ op: 'create' }));
    const removals = held.finding.removals ?? {};
    const annotations = { 'gitops.kubesphere.io/approve-removals': removals.approval ?? '' };
    const approved = { ...app, metadata: { ...app.metadata, annotations }, status: { removals } };
    expect(decided(approved).steps).toContainEqual(expect.objectContaining({ op: 'create', why: 'new destination' }));
  });

  it('is limited to the namespaces of its grant, for the history of the release, too', () => {
    const clusters = [central('eu', GRANTED)];
    const other = { clusterSelector: { matchLabels: PROD }, targetNamespace: 'other' };
    const reasons = (entry: Deploy) => plan(clusters, [entry]).rejected.map(({ violation }) => violation.reason);
    expect(reasons(selecting(PROD))).toEqual([]);
    expect(reasons({ destination: other })).toEqual(['AccessDenied']);
    expect(reasons(selecting(PROD, [], { storageNamespace: 'other' }))).toEqual(['AccessDenied']);
  });

  it('does not wait for one that leaves, unless both may be the same', () => {
    const old = applied([], plan([central('old', GRANTED)], [selecting(PROD)]).steps);
    const left = central('old', { granted: 'yes' });
    expect(ops(plan([left, central('new', GRANTED)], [selecting(PROD)], old).steps)).toEqual(['create', 'spare']);
    expect(ops(plan([left, own('new', PROD)], [selecting(PROD)], old).steps)).toEqual(['wait', 'spare']);
  });

  it.each([
    ['became the host', central('eu', GRANTED), central('eu', GRANTED, { isHost: true })],
    ['is the host no longer', central('eu', GRANTED, { isHost: true }), central('eu', GRANTED)],
    [
      'is read as one of Argo CD now',
      own('eu', PROD),
      own('eu', PROD, { credential: { type: 'argocd-secret', namespace: 'shop', name: 'eu' } }),
    ],
  ])('that %s keeps its children, and gets no other ones', (_title, before, after) => {
    const entry = selecting(PROD, [], { name: 'web' });
    for (const entries of [[selecting(PROD)], [entry], [selecting(PROD, [], { releaseName: 'other' })]]) {
      const children = applied([], plan([before], [selecting(PROD)]).steps);
      const { steps, rejected, departures } = plan([after], entries, children);
      expect(rejected.map(({ violation }) => violation.reason)).toEqual(['ClusterChanged']);
      expect(ops(steps).filter((op) => op !== 'wait' && op !== 'spare')).toEqual([]);
      expect(departures.leaving).toEqual([]);
    }
    const children = applied([], plan([before], [selecting(PROD)]).steps);
    expect(ops(plan([before], [selecting(PROD)], children).steps)).toEqual(['keep']);
  });

  it('that changed between two Applications, each holding what the other claims, blocks neither for good', () => {
    const [member, host] = [central('eu', GRANTED), central('eu', GRANTED, { isHost: true })];
    const other: FindOwner = () => 'Application shop/other';
    for (const [before, after] of [[member, host] as const, [host, member] as const]) {
      const children = applied([], plan([before], [selecting(PROD)]).steps);
      const changed = plan([after], [selecting(PROD)], children, { otherOwnerOf: other });
      expect(changed.rejected.map(({ violation }) => violation.reason)).toEqual(['ClusterChanged']);
      // The way out waits for nobody else: the child only stays for the delay of all removals.
      expect(whys(plan([after], [], children, { otherOwnerOf: other }))).toEqual([
        expect.stringContaining('an entry was for it until just now'),
      ]);
    }
  });

  it('gets no other release of the selector while the old one, in the same namespace, is held', () => {
    const eu = own('eu', PROD);
    const old = applied([], plan([eu], [selecting(PROD)]).steps);
    const renamed = plan([eu], [selecting(PROD, [], { releaseName: 'v2' })], old);
    expect(ops(renamed.steps)).toEqual(['wait', 'spare']);
  });

  it('whose entry is rejected spares its own child, and no other one', () => {
    const clusters = [own('eu', PROD), own('us', PROD)];
    const children = applied([], plan(clusters, [selecting(PROD)]).steps);
    const twice = [selecting(PROD, ['us']), selecting(PROD, ['us'])];
    const { steps } = plan(clusters, twice, children);
    expect(steps.filter(({ op }) => op === 'spare').map(({ why }) => why)).toEqual([
      // The child of the rejected entry does not prove that anything stays.
      expect.stringContaining('this needs an approval'),
    ]);
  });
});

test('one cluster under two names, which both have the release, is told, and then nothing is written', () => {
  const clusters = [own('eu', PROD), own('us', PROD)];
  const next = (owned: readonly Child[]) => plan(clusters, [selecting(PROD)], owned, { uidOf: () => 'a' });
  const before = applied([], plan(clusters, [selecting(PROD)]).steps);
  const first = next(before);
  const second = next(applied(before, first.steps));
  expect([ops(first.steps), ops(second.steps)]).toEqual([
    ['update', 'update'],
    ['keep', 'keep'],
  ]);
  expect([first.rejected, second.rejected]).toEqual([[], []]);
  expect(first.warnings).toEqual([expect.stringMatching(/\(cluster eu\), .*\(cluster us\)$/)]);
  expect(second.warnings).toEqual(first.warnings);
});
