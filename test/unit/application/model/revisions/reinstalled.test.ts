import { describe, expect, it } from '@jest/globals';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { inventory, own, toClusters } from '../clusters/builders.js';
import { application, applied, CHART, NO_TEMPLATES, observed, reporting, SOURCE, decide } from '../builders.js';
import { earlierOf } from './builders.js';

const NAMES = ['asia', 'eu', 'us'];
const CLUSTERS = inventory(NAMES.map((name) => own(name, { env: 'prod' })));
const ROLLOUT = { stages: [{ name: 'canary', clusters: { names: ['eu'] } }] };
const PIN = 'gitops.kubesphere.io/pin-revision';
const APPROVE = 'gitops.kubesphere.io/approve-removals';

interface Wanted {
  readonly chart: string;
  readonly namespace?: string;
  readonly annotations?: Record<string, string>;
  /** True: one entry with a selector. False: one entry per cluster. */
  readonly isSelected?: boolean;
  readonly rollout?: Application['spec']['rollout'];
}

function app({ chart, namespace = 'web', annotations = {}, isSelected = false, rollout }: Wanted): Application {
  const base = application([]);
  const targetNamespace = namespace;
  const entries = isSelected
    ? [toClusters({ clusterSelector: { matchLabels: { env: 'prod' } }, targetNamespace }, { name: 'shop' })]
    : NAMES.map((name) => toClusters({ clusterRef: { kind: 'Secret', name }, targetNamespace }, { name }));
  const spec = { source: SOURCE, config: { helmRelease: { chart: { ...CHART, chart }, deploy: entries } } };
  return {
    ...base,
    metadata: { ...base.metadata, annotations },
    spec: { kind: 'fluxcd', fluxApp: { spec }, ...(rollout === undefined ? {} : { rollout }) },
  };
}

interface Situation {
  readonly owned?: readonly Child[];
  readonly current?: number;
  readonly old?: Application;
  readonly status?: ApplicationStatus;
}

function pass(now: Application, { owned = [], current = 1, old, status = {} }: Situation = {}): Plan {
  const asked = { ...now, status };
  const validation = validate(asked, { templates: NO_TEMPLATES, clusters: CLUSTERS }, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('there is no template');
  const earlier = new Map(old === undefined ? [] : [[1, earlierOf(now, old, CLUSTERS)] as const]);
  const revisions = { history: { current, isKept: true, remove: [] }, pins: readPins(now), earlier };
  return decide({ ...observed(application([])), application: asked, validation, owned, clusters: CLUSTERS, revisions });
}

/** The children after a pass, as the engine reports them once it has finished. */
function installed(owned: readonly Child[], plan: Plan): Child[] {
  return applied(owned, plan.steps).map((child) => {
    const { releaseName, targetNamespace, storageNamespace, chart } = child.spec;
    const latest = { name: releaseName, namespace: targetNamespace, chartName: (chart as Chart).spec.chart };
    const metadata = { ...child.metadata, uid: `uid-${child.metadata.name}` };
    const status = { history: [latest], storageNamespace } as Child['status'] & object;
    return reporting({ ...child, metadata, status }, 'True', 'UpgradeSucceeded');
  });
}

/** The chart template that Fairlead writes. */
interface Chart {
  readonly spec: { readonly chart: string };
}

const updates = ({ steps }: Plan): string[] =>
  steps.flatMap((step) => (step.op === 'update' ? [step.entry.clusterName] : []));

const statusOf = ({ finding: { rollout, removals } }: Plan): ApplicationStatus => ({
  ...(rollout === undefined ? {} : { rollout }),
  ...(removals === undefined ? {} : { removals }),
});

describe('a pin', () => {
  it.each<[string, Partial<Wanted>]>([
    ['chart', { chart: 'nginx' }],
    ['namespace', { namespace: 'elsewhere' }],
  ])('uninstalls nothing where its revision has another %s', (_, more) => {
    const old = app({ chart: 'podinfo' });
    const owned = installed([], pass(app({ chart: 'podinfo', ...more })));
    const pinned = app({ chart: 'podinfo', ...more, annotations: { [PIN]: '1' } });
    const plan = pass(pinned, { owned, current: 2, old });
    expect(updates(plan)).toEqual([]);
    expect(plan.steps.map(({ op }) => op)).toEqual(['keep', 'keep', 'keep']);
  });

  it('says why nothing goes back', () => {
    const owned = installed([], pass(app({ chart: 'nginx' })));
    const pinned = app({ chart: 'nginx', annotations: { [PIN]: '1' } });
    const plan = pass(pinned, { owned, current: 2, old: app({ chart: 'podinfo' }) });
    const why = 'revision 1 would uninstall it first (chart name nginx -> podinfo): change the spec to do that';
    expect(plan.steps[0]).toMatchObject({ op: 'keep', hold: 'Release', why });
  });

  it('still holds back what has not been changed yet', () => {
    const owned = installed([], pass(app({ chart: 'podinfo' })));
    const pinned = app({ chart: 'nginx', annotations: { [PIN]: '1' } });
    const plan = pass(pinned, { owned, current: 2, old: app({ chart: 'podinfo' }) });
    expect(updates(plan)).toEqual([]);
    expect(plan.finding.removals).toBeUndefined();
  });
});

describe('a rollout of what uninstalls first', () => {
  const selected = (chart: string, annotations: Record<string, string> = {}, more: object = {}): Application =>
    app({ chart, isSelected: true, annotations, rollout: { ...ROLLOUT, ...more } });
  const running = () => {
    let owned: Child[] = [];
    let status: ApplicationStatus = {};
    for (let count = 0; count < 4; count += 1) {
      const plan = pass(selected('podinfo'), { owned, status });
      owned = installed(owned, plan);
      status = statusOf(plan);
    }
    return { owned, status, old: selected('podinfo'), current: 2 };
  };

  it('waits for one approval of all of it before the first stage, and then goes stage by stage', () => {
    const situation = running();
    const held = pass(selected('nginx'), situation);
    expect(updates(held)).toEqual([]);
    expect(held.finding.removals?.clusters).toEqual(NAMES);
    expect(held.finding.rollout?.stages).toMatchObject([{ name: 'canary', total: 1, failed: 0 }, {}]);
    const annotations = { [APPROVE]: held.finding.removals?.approval ?? '' };
    const first = pass(selected('nginx', annotations), { ...situation, status: statusOf(held) });
    expect(updates(first)).toEqual(['eu']);
    const canary = installed(situation.owned, first);
    const second = pass(selected('nginx', annotations), { ...situation, owned: canary, status: statusOf(first) });
    expect(updates(second)).toEqual(['asia', 'us']);
    expect(second.finding.held).toBeUndefined();
  });

  it.each<[string, Record<string, string>, object]>([
    ['an abort', { 'gitops.kubesphere.io/abort-rollout': '2' }, {}],
    ['an automatic rollback', {}, { onFailure: 'Rollback' }],
  ])('is not taken back by %s, and says why', (_, annotations, more) => {
    const situation = running();
    const held = pass(selected('nginx', {}, more), situation);
    const approved = { [APPROVE]: held.finding.removals?.approval ?? '' };
    const first = pass(selected('nginx', approved, more), { ...situation, status: statusOf(held) });
    const owned = installed(situation.owned, first).map((child) =>
      (child.spec['chart'] as Chart).spec.chart === 'nginx' ? reporting(child, 'False', 'UpgradeFailed') : child,
    );
    const asked = selected('nginx', { ...approved, ...annotations }, more);
    const decided = pass(asked, { ...situation, owned, status: statusOf(first) });
    const gone = pass(asked, { ...situation, owned, status: statusOf(decided) });
    expect(updates(decided)).toEqual([]);
    expect(updates(gone)).toEqual([]);
    expect(gone.finding.rolledOut?.reason).toBe('RolledBack');
    expect(gone.finding.warnings).toContainEqual(
      'eu stays at revision 2: revision 1 would uninstall it first (chart name nginx -> podinfo): change the spec to do that',
    );
  });
});
