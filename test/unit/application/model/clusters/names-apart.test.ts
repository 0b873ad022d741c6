import { describe, expect, it } from '@jest/globals';
import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { decideDeletion } from '#controllers/application/model/decide-deletion.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import {
  application,
  applied,
  decide,
  type Deploy,
  indexed,
  leaving,
  NO_TEMPLATES,
  ops,
  reporting,
  type Seen,
} from '../builders.js';
import { earlierOf } from '../revisions/builders.js';
import { central, inventory, own, selecting, toClusters } from './builders.js';

const PROD = { env: 'prod' };
const FULL = ['Cluster/twin', 'Secret/shop/twin'];
const BOTH = '"twin" is the name of 2 clusters: use one of Cluster/twin, Secret/shop/twin';
const PIN = 'gitops.kubesphere.io/pin-cluster-revisions';
const ABANDON = 'gitops.kubesphere.io/abandon';
/** The first is of KubeSphere, the second a Secret of the namespace. */
const VIEW = inventory([
  central('twin', { ...PROD, tier: 'prod', granted: 'yes' }),
  own('twin', { ...PROD, tier: 'canary' }),
]);

type Rollout = NonNullable<Application['spec']['rollout']>;

interface Given {
  readonly entries?: Deploy[];
  readonly annotations?: Record<string, string>;
  readonly rollout?: Rollout;
  readonly image?: string;
}

function app({ entries, annotations = {}, rollout, image = 'a' }: Given): Application {
  const base = application(entries ?? [selecting(PROD, undefined, { values: { image } })]);
  const spec = rollout === undefined ? base.spec : { ...base.spec, rollout };
  return { ...base, metadata: { ...base.metadata, annotations }, spec };
}

interface State {
  readonly owned?: readonly Child[];
  readonly status?: ApplicationStatus;
  readonly earlier?: Application;
}

/** One pass; with `earlier`, the spec is revision 2. */
function pass(given: Application, { owned = [], status = {}, earlier }: State = {}) {
  const now = { ...given, status };
  const lookup = { templates: NO_TEMPLATES, clusters: VIEW };
  const validation = validate(now, lookup, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('it is pending');
  const known = new Map(earlier === undefined ? [] : [[1, earlierOf(now, earlier, VIEW)] as const]);
  const history = { current: earlier === undefined ? 1 : 2, isKept: true, remove: [] };
  const revisions = { history, pins: readPins(now), earlier: known };
  const seen: Seen = { application: now, validation, owned, clusters: VIEW, revisions };
  return decide(seen);
}

const done = (children: readonly Child[]): Child[] =>
  children.map((child) => reporting(child, 'True', 'UpgradeSucceeded'));
const running = (given: Given = {}): Child[] => done(applied([], pass(app(given)).steps));
const messages = (plan: ReturnType<typeof decide>): string[] => plan.finding.rejected.map(({ message }) => message);

/** The names of the clusters of these steps, by what is done. */
function byOp(plan: ReturnType<typeof decide>): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const step of plan.steps) {
    const name = 'entry' in step ? step.entry.clusterName : step.live.metadata.name;
    found[step.op] = [...(found[step.op] ?? []), name].sort();
  }
  return found;
}

describe('two clusters with one name', () => {
  it('are two destinations, with paths, rows and names of their own', () => {
    const plan = pass(app({}));
    const entries = plan.steps.flatMap((step) => ('entry' in step ? [step.entry] : []));
    const path = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
    expect(entries.map((entry) => entry.path).sort()).toEqual(FULL.map((name) => `${path} (cluster ${name})`));
    // A child is written as before.
    expect(entries.map(({ key }) => key)).toEqual(['twin-web', 'twin-web']);
    expect(plan.rowsAfter([])?.map(({ cluster }) => cluster)).toEqual([]);
    const outcomes = plan.steps.map((step) => ({ step, child: undefined }));
    expect(plan.rowsAfter(outcomes)?.map(({ cluster }) => cluster)).toEqual(FULL);
  });

  it('have a row with the full name also where no entry is for one of them any more', () => {
    const owned = running();
    const plan = pass(app({ entries: [toClusters({ clusterRef: { kind: 'Secret', name: 'twin' } })] }), { owned });
    const outcomes = plan.steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
    expect(
      plan
        .rowsAfter(outcomes)
        ?.map(({ cluster }) => cluster)
        .sort(),
    ).toEqual(FULL);
  });

  it('are in the stages that select each of them, and count apart', () => {
    const tiers = { matchLabels: { tier: 'canary' } };
    const rollout = { stages: [{ name: 'canary', clusters: { selector: tiers }, maxConcurrent: 1 }] };
    const plan = pass(app({ rollout }));
    expect(byOp(plan)).toEqual({ create: ['Secret/shop/twin'], wait: ['Cluster/twin'] });
    const all = pass(app({ rollout: { stages: [{ name: 'rest', maxConcurrent: 1 }] } }));
    expect(ops(all.steps).sort()).toEqual(['create', 'wait']);
  });
});

describe('the name of two clusters', () => {
  it('begins no stage, and the full name does', () => {
    const named = (name: string): Rollout => ({ stages: [{ name: 'canary', clusters: { names: [name] } }] });
    const plan = pass(app({ rollout: named('twin') }));
    expect(byOp(plan)).toEqual({ wait: FULL });
    expect(plan.finding.rollout?.message).toContain(`stage "canary": clusters.names: ${BOTH}`);
    expect(byOp(pass(app({ rollout: named('Cluster/twin') })))).toEqual({
      create: ['Cluster/twin'],
      wait: ['Secret/shop/twin'],
    });
  });

  it('pins neither, and nothing changes; the full name pins one', () => {
    const [owned, earlier] = [running(), app({})];
    const pinned = (pins: string) => pass(app({ image: 'b', annotations: { [PIN]: pins } }), { owned, earlier });
    expect(ops(pinned('twin=1').steps)).toEqual(['keep', 'keep']);
    expect(pinned('twin=1').finding.pinned).toEqual({
      reason: 'RevisionUnknown',
      message: `annotation ${PIN}: ${BOTH}; what runs is left unchanged`,
    });
    expect(byOp(pinned('Cluster/twin=1'))).toEqual({ keep: ['Cluster/twin'], update: ['Secret/shop/twin'] });
    expect(pinned('Cluster/twin=1').finding.warnings).toEqual([]);
    // One of them is lost, and its child is still there.
    const one = [toClusters({ clusterRef: { kind: 'Cluster', name: 'twin' } }, { values: { image: 'b' } })];
    const lost = pass(app({ entries: one, annotations: { [PIN]: 'twin=1' } }), { owned, earlier });
    expect(lost.finding.pinned?.message).toContain(BOTH);
  });

  it('excludes neither, and what runs stays; the full name excludes one', () => {
    const owned = running();
    const plan = pass(app({ entries: [selecting(PROD, ['twin'])] }), { owned });
    expect(ops(plan.steps)).toEqual(['wait', 'spare', 'spare']);
    expect(messages(plan)).toEqual([expect.stringContaining(`destination.clusterSelector.exclude: ${BOTH}`)]);
    const one = pass(app({ entries: [selecting(PROD, ['Cluster/twin'])] }));
    expect(one.steps.map((step) => 'entry' in step && step.entry.names.full)).toEqual(['Secret/shop/twin']);
  });

  it('changes the values of neither; the full name changes those of one', () => {
    const owned = running();
    const overriding = (name: string): Deploy =>
      selecting(PROD, undefined, {
        values: { image: 'a' },
        overrides: [{ clusters: { names: [name] }, timeout: '9m' }],
      });
    const plan = pass(app({ entries: [overriding('twin')] }), { owned });
    expect(ops(plan.steps)).toEqual(['wait', 'wait']);
    const problem = `deploy[0].overrides[0].clusters.names: ${BOTH}`;
    expect(messages(plan)).toEqual([expect.stringContaining(problem), expect.stringContaining(problem)]);
    const one = pass(app({ entries: [overriding('Secret/shop/twin')] }), { owned });
    expect(byOp(one)).toEqual({ keep: ['Cluster/twin'], update: ['Secret/shop/twin'] });
  });

  it('abandons neither; the full name abandons one', () => {
    const owned = running().map((child) =>
      leaving({ ...child, metadata: { ...child.metadata, finalizers: [FLUX_FINALIZER] } }),
    );
    const deleting = (names: string) => {
      const plan = decideDeletion(app({ annotations: { [ABANDON]: names } }), owned, { clusters: indexed(VIEW) });
      return { count: plan.abandoned.length, warnings: plan.finding.warnings };
    };
    const refused = `annotation ${ABANDON}: ${BOTH}; none of them is abandoned`;
    expect(deleting('twin')).toEqual({ count: 0, warnings: [refused] });
    expect(deleting('Cluster/twin')).toEqual({ count: 1, warnings: [] });
    expect(deleting('twin,true').count).toBe(2);
  });
});
