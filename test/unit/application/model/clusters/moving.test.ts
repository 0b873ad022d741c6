import { describe, expect, it } from '@jest/globals';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import type { TemplateView } from '#controllers/application/model/spec/template-lookup.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { outcomesBefore, type Plan } from '#controllers/application/model/decide.js';
import {
  application,
  applied,
  CHART,
  files,
  filesApplication,
  NO_TEMPLATES,
  SOURCE,
  well,
  type Deploy,
} from '../builders.js';
import { inventory, own, selecting, toClusters } from './builders.js';
import { APPROVE, FLEET, installed, ONE, pass, running, type World, writes } from './passes.js';

const shop = (more: Partial<Deploy> = {}, targetNamespace = 'web'): Deploy => {
  const { destination, ...entry } = selecting({ env: 'prod' }, [], { name: 'shop', ...more });
  return { ...entry, destination: { ...destination, targetNamespace } };
};

function ofChart(chart: string, entries: Deploy[], template?: string): Application {
  const which = template === undefined ? { chart: { ...CHART, chart } } : { template };
  const spec = { source: SOURCE, config: { helmRelease: { ...which, deploy: entries } } };
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } });
}

/** The only revision of another team's template, with this chart. */
function templateOf(chart: string): TemplateView {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Valid', message: 'ok', lastTransitionTime: '' }];
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' };
  const template = {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'HelmTemplate',
    metadata: { namespace: 'shop', name: 'base', uid: 'base' },
    spec: { sourceRef, chart: { chart } },
    status: { observedGeneration: 1, revision: 1, conditions },
  };
  const { spec } = template;
  return { ...NO_TEMPLATES, template: () => template as unknown as Template, revision: () => spec as never };
}

const BEFORE = application([shop()]);
const TEMPLATED = ofChart('', [toClusters({ clusterRef: { kind: 'Secret', name: 'c0' } })], 'base');
const TEMPLATED_TWICE = ofChart(
  '',
  ['c0', 'c1'].map((name) => toClusters({ clusterRef: { kind: 'Secret', name } })),
  'base',
);
/** The template before and after the change of its chart. */
const [A, B] = [{ templates: templateOf('a') }, { templates: templateOf('b') }];
const TEMPLATED_BY_SELECTOR = ofChart('', [selecting({ env: 'prod' })], 'base');
const fileEntry = (targetNamespace: string, more = {}) =>
  files('web', undefined, {
    ...{ name: 'shop', path: './a', ...more },
    destination: { targetNamespace, clusterSelector: { matchLabels: { env: 'prod' } } },
  });

const DB = { name: 'db', path: './db' };
const FILES = filesApplication([fileEntry('web'), fileEntry('web', DB)]);
/** Files without a name in the spec, on some clusters. */
const filesOn = (path: string, operator: 'In' | 'NotIn') =>
  files('web', undefined, {
    path,
    destination: {
      targetNamespace: 'web',
      clusterSelector: { matchExpressions: [{ key: 'name', operator, values: ['c8', 'c9'] }] },
    },
  });

describe('what can only be changed by an uninstall', () => {
  const held: Record<string, [Application, Application, World?, World?]> = {
    'a target namespace of a named entry': [BEFORE, application([shop({}, 'wbe')])],
    'a target namespace of entries without a selector': [
      application(['c0', 'c1'].map((name) => toClusters({ clusterRef: { kind: 'Secret', name } }, { name }))),
      application(
        ['c0', 'c1'].map((name) =>
          toClusters({ clusterRef: { kind: 'Secret', name }, targetNamespace: 'b' }, { name }),
        ),
      ),
    ],
    'a release name of a named entry': [BEFORE, application([shop({ releaseName: 'v2' })])],
    'a storage namespace of a named entry': [BEFORE, application([shop({ storageNamespace: 'x' })])],
    'a target namespace whose release has the same name and storage': [
      application([selecting({ env: 'prod' }, [], { storageNamespace: 'store' })]),
      application([
        { ...selecting({ env: 'prod' }, [], { storageNamespace: 'store' }), destination: shop({}, 'x').destination! },
      ]),
    ],
    'a chart': [BEFORE, ofChart('nginx', [shop()])],
    'a chart of an entry without a name': [
      ofChart('a', [selecting({ env: 'prod' })]),
      ofChart('b', [selecting({ env: 'prod' })]),
    ],
    'a namespace of files that are pruned': [
      filesApplication([fileEntry('web')]),
      filesApplication([fileEntry('wbe')]),
    ],
    'the chart of a template': [TEMPLATED_TWICE, TEMPLATED_TWICE, A, B],
    'the chart of a template, of its only release': [TEMPLATED, TEMPLATED, A, B],
    'the only release of a selector': [BEFORE, application([shop({}, 'wbe')]), { clusters: ONE }, { clusters: ONE }],
    'a limit that the user set': [
      { ...BEFORE, spec: { ...BEFORE.spec, maxRemovals: '100%' } },
      { ...application([shop({}, 'wbe')]), spec: { ...application([shop({}, 'wbe')]).spec, maxRemovals: '100%' } },
    ],
    'the chart of a template, of the only release of a selector': [
      TEMPLATED_BY_SELECTOR,
      TEMPLATED_BY_SELECTOR,
      { ...A, clusters: ONE },
      { ...B, clusters: ONE },
    ],
  };
  it.each(Object.entries(held))('waits for an approval: %s', (_, [before, after, first = {}, then = {}]) => {
    const children = running(before, first);
    const plan = pass(after, children, then);
    expect(writes(plan)).toEqual([]);
    expect(plan.events).toEqual([]);
    expect(plan.finding.held?.reason).toBe('ApprovalRequired');
    const removals = plan.finding.removals ?? {};
    expect(removals.held).toBe(children.length);
    const annotations = { [APPROVE]: removals.approval ?? '' };
    const approved = pass(after, children, { ...then, status: { removals }, annotations });
    expect(writes(approved)).toEqual(children.map(() => 'update'));
    expect(approved.events.map(({ reason }) => reason)).toEqual(children.map(() => 'Moving'));
    expect(approved.finding.held).toBeUndefined();
    const moved = applied(children, approved.steps);
    const status = { removals: approved.finding.removals ?? {} };
    const last = pass(after, moved, { ...then, status, annotations });
    expect(writes(last)).toEqual([]);
    expect(last.finding.removals?.approval).toBeUndefined();
  });

  const free: Record<string, [Application, Application, World?, World?]> = {
    'a value': [BEFORE, application([shop({ values: { a: 1 } })])],
    'a chart, in place': [BEFORE, ofChart('nginx', [shop({ upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } })])],
    'a namespace of files that are not pruned': [
      filesApplication([fileEntry('web', { prune: false })]),
      filesApplication([fileEntry('wbe', { prune: false })]),
    ],
  };
  it.each(Object.entries(free))('needs no approval: %s', (_, [before, after, first = {}, then = {}]) => {
    const children = running(before, first);
    const plan = pass(after, children, then);
    expect(writes(plan)).toEqual(children.map(() => 'update'));
    expect(plan.finding.held).toBeUndefined();
  });

  it('waits with what leaves by the same edit', () => {
    const children = running(BEFORE);
    const clusterRef = { kind: 'Secret', name: 'c0' } as const;
    const plan = pass(application([toClusters({ clusterRef, targetNamespace: 'wbe' }, { name: 'shop' })]), children);
    expect(writes(plan)).toEqual([]);
    expect(plan.finding.removals?.held).toBe(10);
    expect(plan.finding.held?.message).toMatch(
      /^10 releases would be removed, because no entry is for them any more or /,
    );
  });

  it('waits if a template moves several, whatever else stays', () => {
    const entries = [0, 1].map((index) => {
      const clusterRef = { kind: 'Secret', name: `c${index}` } as const;
      return toClusters({ clusterRef }, { name: `n${index}`, releaseName: `r${index}` });
    });
    const inPlace = { name: 'other', releaseName: 'other', upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } };
    const app = ofChart('', [...entries, selecting({ env: 'prod' }, [], inPlace as Partial<Deploy>)], 'base');
    const children = running(app, { templates: templateOf('a') });
    const plan = pass(app, children, { templates: templateOf('b') });
    expect(children).toHaveLength(12);
    expect(writes(plan)).toEqual(Array.from({ length: 10 }, () => 'update'));
    expect(plan.finding.removals?.held).toBe(2);
  });

  it('leaves the other entries alone, and waits as a removal', () => {
    const [values, moved] = [selecting({ env: 'prod' }, [], { releaseName: 'db', values: { a: 1 } }), shop({}, 'wbe')];
    const children = running(application([shop(), selecting({ env: 'prod' }, [], { releaseName: 'db' })]));
    const plan = pass(application([moved, values]), children);
    expect(writes(plan)).toEqual(Array.from({ length: 10 }, () => 'update'));
    const rows = plan.rowsAfter(outcomesBefore(plan.steps)) ?? [];
    const waiting = rows.filter(({ wait }) => wait?.reason === 'Removal');
    expect(waiting).toHaveLength(10);
    expect(waiting[0]?.message).toBe(
      'waiting, because it would be uninstalled first (target namespace web -> wbe), and this needs an approval: see RemovalsHeld',
    );
  });

  it('leaves no trace once the edit is reverted', () => {
    const children = running(BEFORE);
    const status = { removals: pass(application([shop({}, 'wbe')]), children).finding.removals ?? {} };
    const reverted = pass(BEFORE, children, { status });
    expect(writes(reverted)).toEqual([]);
    expect(reverted.finding.removals).toBeUndefined();
  });

  it('is not held again once it was written, and may be taken back while it is not carried out', () => {
    const edited = application([shop({}, 'wbe')]);
    const children = running(BEFORE);
    const [written] = running(edited);
    const half = children.map((child) => ({
      ...child,
      spec: { ...child.spec, ...written?.spec, kubeConfig: child.spec.kubeConfig! },
    }));
    const again = pass(application([shop({ values: { a: 1 } }, 'wbe')]), half);
    expect(writes(again)).toEqual(half.map(() => 'update'));
    expect(writes(pass(BEFORE, half))).toEqual(half.map(() => 'update'));
    expect(writes(pass(application([shop({}, 'third')]), half))).toEqual([]);
  });

  it('is not approved for another place, nor by the approval of a removal', () => {
    const children = running(BEFORE);
    const removals = pass(application([shop({}, 'wbe')]), children).finding.removals ?? {};
    const given = { status: { removals }, annotations: { [APPROVE]: removals.approval ?? '' } };
    const other = pass(application([shop({}, 'third')]), children, given);
    expect(writes(other)).toEqual([]);
    expect(other.finding.removals?.approval).not.toBe(removals.approval);
    expect(writes(pass(application([selecting({ env: 'none' })]), children, given))).toEqual([]);
    const gone = pass(application([selecting({ env: 'none' })]), children).finding.removals ?? {};
    const removal = { status: { removals: gone }, annotations: { [APPROVE]: gone.approval ?? '' } };
    expect(writes(pass(application([shop({}, 'wbe')]), children, removal))).toEqual([]);
  });

  it('always waits for an approval if the Application leaves its releases running', () => {
    const orphan = (app: Application): Application => ({ ...app, spec: { ...app.spec, deletionPolicy: 'Orphan' } });
    const children = running(orphan(BEFORE), { clusters: ONE });
    const plan = pass(orphan(application([shop({}, 'wbe')])), children, { clusters: ONE });
    expect(writes(plan)).toEqual([]);
    expect(plan.finding.held?.message).toContain('what is uninstalled to be installed again always needs an approval');
  });

  it('does nothing on a paused cluster, and counts for nothing there', () => {
    const paused = inventory(FLEET.clusters.map((each) => ({ ...each, isPaused: true })));
    const plan = pass(application([shop({}, 'wbe')]), running(BEFORE), { clusters: paused });
    expect(writes(plan)).toEqual([]);
    expect(plan.finding.removals).toBeUndefined();
  });

  it('is kept as it is where it was installed once', () => {
    const once = (targetNamespace?: string) => application([shop({ mode: 'Once' }, targetNamespace)]);
    const plan = pass(once('wbe'), running(once()).map(well));
    expect(plan.finding.removals).toBeUndefined();
    expect(plan.leaving).toEqual([]);
  });
});

describe('releases of several entries', () => {
  const web = selecting({ env: 'prod' }, [], { releaseName: 'web' });
  const db = selecting({ env: 'prod' }, [], { releaseName: 'db' });
  const both = application([web, db]);
  const typo = { clusterSelector: { matchLabels: { env: 'prd' } }, targetNamespace: 'web' };

  it.each<[string, Application, Application]>([
    ['a typo in the selector of one', both, application([web, { ...db, destination: typo }])],
    ['one of two entries is removed', both, application([web])],
    ['one of two entries releases something else', both, application([web, { ...db, releaseName: 'bd' }])],
    [
      'a typo in the selector of one of two for the same release',
      application([
        selecting({ env: 'prod' }, ['c8', 'c9']),
        toClusters({ clusterSelector: { matchExpressions: [{ key: 'name', operator: 'In', values: ['c8', 'c9'] }] } }),
      ]),
      application([
        toClusters(typo),
        toClusters({ clusterSelector: { matchExpressions: [{ key: 'name', operator: 'In', values: ['c8', 'c9'] }] } }),
      ]),
    ],
    ['one of two entries for files of one namespace is removed', FILES, filesApplication([fileEntry('web')])],
    [
      'one of two entries without names, for other files',
      filesApplication([filesOn('./a', 'NotIn'), filesOn('./b', 'In')]),
      filesApplication([filesOn('./a', 'NotIn')]),
    ],
    [
      'one of two entries for files of one namespace selects one other cluster',
      FILES,
      filesApplication([
        fileEntry('web'),
        {
          ...fileEntry('web', DB),
          destination: { targetNamespace: 'web', clusterSelector: { matchLabels: { name: 'other' } } },
        },
      ]),
    ],
  ])('are never the last of several without an approval: %s', (_, before, after) => {
    const clusters = inventory(FLEET.clusters.map((each) => own(each.id.name, { env: 'prod', name: each.id.name })));
    const plan = pass(after, running(before, { clusters }), { clusters });
    expect(writes(plan).filter((op) => op !== 'create')).toEqual([]);
    expect(plan.finding.held?.reason).toBe('ApprovalRequired');
  });

  it('need an approval for the last of a selector, although another one releases the same', () => {
    const rings = application([
      toClusters({ clusterSelector: { matchLabels: { ring: 'canary' } } }),
      toClusters({ clusterSelector: { matchLabels: { ring: 'prod' } } }),
    ]);
    const fleet = (canary: string) =>
      inventory(['c1', 'c2', 'c3'].map((name) => own(name, { ring: name === 'c1' ? canary : 'prod' })));
    const children = running(rings, { clusters: fleet('canary') });
    expect(children).toHaveLength(3);
    const plan = pass(rings, children, { clusters: fleet('none') });
    expect(writes(plan)).toEqual([]);
    expect(plan.finding.held?.reason).toBe('ApprovalRequired');
  });

  it('need an approval for the only one of a selector, but not for that of an entry that was removed', () => {
    const one = application([
      web,
      toClusters({ clusterSelector: { matchLabels: { only: 'yes' } } }, { releaseName: 'db' }),
    ]);
    const clusters = inventory(
      FLEET.clusters.map((each, index) =>
        own(each.id.name, index === 0 ? { env: 'prod', only: 'yes' } : { env: 'prod' }),
      ),
    );
    const children = running(one, { clusters });
    expect(writes(pass(one, children))).toEqual([]);
    expect(writes(pass(application([web]), children, { clusters }))).toEqual(['delete']);
    const removals = { counted: [{ until: '1970-01-01T00:00:00Z', ran: 12, removed: 2 }] };
    expect(writes(pass(one, children, { status: { removals } }))).toEqual([]);
    expect(writes(pass(application([web]), children, { clusters, status: { removals } }))).toEqual(['delete']);
  });
});

describe('a hold', () => {
  const EDITED = application([shop({}, 'wbe')]);
  const three = (more: object[] = []) => inventory([0, 1, 2].map((n) => own(`c${n}`, { env: 'prod' }, more[n] ?? {})));
  const children = running(BEFORE, { clusters: three() });
  const [first] = children;
  const held = (): ApplicationStatus => ({
    removals: pass(EDITED, children, { clusters: three() }).finding.removals ?? {},
  });
  const dying = { ...first!, metadata: { ...first!.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const lost = { ...three(), clusters: three().clusters.slice(1), lost: ['why'] };
  const unknown = { ...lost, whyUnknown: (id: string) => (id.endsWith('c0') ? 'why' : undefined) };

  it.each<[string, World, Child[]]>([
    ['is paused', { clusters: three([{ isPaused: true }]) }, children],
    ['is being deleted', { clusters: three() }, [dying, ...children.slice(1)]],
    ['is unknown', { clusters: unknown }, children],
    [
      'is rejected',
      { clusters: three(), otherOwnerOf: ({ clusterName }) => (clusterName === 'c0' ? 'another' : undefined) },
      children,
    ],
  ])('is for the others while one of them %s, at once and later', (_, world, owned) => {
    for (const status of [{}, held()]) {
      const plan = pass(EDITED, owned, { ...world, status });
      expect(writes(plan)).toEqual([]);
      expect(plan.finding.held?.reason).toBe('ApprovalRequired');
      const removals = plan.finding.removals ?? {};
      const annotations = { [APPROVE]: removals.approval ?? '' };
      expect(writes(pass(EDITED, owned, { ...world, status: { removals }, annotations }))).toEqual([
        'update',
        'update',
      ]);
    }
  });

  it('is for the others while one of two is unknown or paused', () => {
    const two = [children[0]!, children[1]!];
    const paused = inventory([own('c0', { env: 'prod' }, { isPaused: true }), own('c1', { env: 'prod' })]);
    expect(writes(pass(EDITED, two, { clusters: paused }))).toEqual([]);
    expect(writes(pass(application([selecting({ env: 'none' })]), two, { clusters: unknown }))).toEqual([]);
  });

  it('is not ended by what is installed for the same edit', () => {
    const clusters = inventory([...FLEET.clusters.slice(0, 4), own('t0', { env: 'test' })]);
    const before = application([selecting({ env: 'prod' })]);
    const after = application([selecting({ env: 'test' })]);
    const owned = running(before, { clusters });
    const one = pass(after, owned, { clusters });
    expect(writes(one)).toEqual(['create']);
    const removals = one.finding.removals ?? {};
    const all = applied(owned, one.steps).map(installed);
    const two = pass(after, all, { clusters, status: { removals } });
    expect(writes(two)).toEqual([]);
    expect(two.finding.removals).toMatchObject({ held: 4, approval: removals.approval });
    const annotations = { [APPROVE]: removals.approval ?? '' };
    expect(writes(pass(after, all, { clusters, status: { removals }, annotations }))).toHaveLength(4);
    // After the edit is reverted, only the child that the edit installed waits.
    expect(pass(before, all, { clusters, status: { removals } }).finding.removals).toMatchObject({ held: 1 });
  });

  it('within a limit that was set ends, and not because fewer are left', () => {
    const none = application([selecting({ env: 'none' })]);
    const limited = (maxRemovals: number | string): Application => ({ ...none, spec: { ...none.spec, maxRemovals } });
    const status = { removals: pass(limited(2), children, { clusters: three() }).finding.removals ?? {} };
    const clusters = three([{ isPaused: true }]);
    const fewer = pass(limited(2), children, { clusters, status });
    expect(writes(fewer)).toEqual([]);
    const later = { clusters, status: { removals: fewer.finding.removals ?? {} } };
    expect(writes(pass(limited(2), children, later))).toEqual([]);
    expect(writes(pass(limited('70%'), children, { clusters: three(), status }))).toEqual([]);
    expect(writes(pass(limited(3), children, { clusters: three(), status }))).toHaveLength(3);
    expect(writes(pass(limited('100%'), children, { clusters: three(), status }))).toHaveLength(3);
  });

  it('of a percentage is of all that ran, paused ones included', () => {
    const clusters = inventory(FLEET.clusters.map((each, index) => ({ ...each, isPaused: index < 6 })));
    const less = inventory(clusters.clusters.slice(0, 9));
    const app: Application = { ...BEFORE, spec: { ...BEFORE.spec, maxRemovals: '20%' } };
    const owned = running(BEFORE);
    const plan = pass(app, owned, { clusters: inventory([...less.clusters, own('c9', { env: 'test' })]) });
    expect(writes(plan)).toEqual(['delete']);
  });

  /** Passes in a row, each with the status of the one before. Returns what each writes. */
  function course(owned: readonly Child[], passes: readonly (readonly [Application, World])[]): string[][] {
    let removals: ApplicationStatus['removals'];
    return passes.map(([app, world]) => {
      const plan = pass(app, owned, { ...world, status: removals === undefined ? {} : { removals } });
      ({ removals } = plan.finding);
      return writes(plan);
    });
  }

  it('is not forgotten when most of it is paused, and the rest is taken back', () => {
    const fleet = (env: (index: number) => string, paused: (index: number) => boolean = () => false) => ({
      clusters: inventory(
        Array.from({ length: 40 }, (_, index) => own(`c${index}`, { env: env(index) }, { isPaused: paused(index) })),
      ),
    });
    const all = fleet(() => 'prod');
    const owned = running(BEFORE, all);
    const lost = (index: number): string => (index < 15 ? 'lost' : 'prod');
    const others = (index: number): string => (index > 0 && index < 15 ? 'lost' : 'prod');
    const done = course(owned, [
      [BEFORE, fleet(lost)],
      [BEFORE, fleet(lost, (index) => index > 0 && index < 15)],
      [BEFORE, fleet(others, (index) => index > 0 && index < 15)],
      [BEFORE, fleet(others, (index) => index > 5 && index < 15)],
    ]);
    expect(done.flat()).toEqual([]);
    expect(
      course(owned, [
        [BEFORE, fleet(lost)],
        [BEFORE, all],
        [BEFORE, fleet((index) => (index < 2 ? 'lost' : 'prod'))],
      ]),
    ).toEqual([[], [], ['delete', 'delete']]);
  });

  it('by a template is for all its entries, paused ones included', () => {
    const twice = ['c0', 'c1'].map((name) =>
      toClusters({ clusterRef: { kind: 'Secret', name } }, { name, releaseName: name }),
    );
    const inPlace = { name: 'other', releaseName: 'other', upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } };
    const app = ofChart('', [...twice, selecting({ env: 'prod' }, [], inPlace as Partial<Deploy>)], 'base');
    const owned = running(app, { templates: templateOf('a') });
    const templates = templateOf('b');
    const paused = (...names: readonly string[]) =>
      inventory(FLEET.clusters.map((each) => ({ ...each, isPaused: names.includes(each.id.name) })));
    const moved = ({ steps }: Plan): string[] =>
      steps.flatMap((step) =>
        step.op === 'update' && step.object.spec.releaseName !== 'other' ? [step.object.metadata.name] : [],
      );
    for (const passes of [[paused('c1')], [paused(), paused('c0', 'c1'), paused('c1'), paused()]]) {
      let removals: ApplicationStatus['removals'];
      for (const clusters of passes) {
        const status = removals === undefined ? {} : { removals };
        const plan = pass(app, owned, { templates, clusters, status });
        expect(moved(plan)).toEqual([]);
        ({ removals } = plan.finding);
      }
    }
  });

  it('is not kept by records of what was installed once, nor after its approval was carried out', () => {
    const once = application([shop({ mode: 'Once' })]);
    const fleet = (from: number, paused = -1) => ({
      clusters: inventory(
        Array.from({ length: 40 }, (_, n) =>
          own(`c${n}`, { env: n < from ? 'lost' : 'prod' }, { isPaused: n === paused }),
        ),
      ),
    });
    const records = running(once, fleet(0)).map((child) => {
      const record = { 'gitops.kubesphere.io/installed-once': '1' };
      const annotations = { ...child.metadata.annotations, ...record };
      return { ...child, metadata: { ...child.metadata, annotations }, spec: { ...child.spec, suspend: true } };
    });
    const typo = pass(application([shop({ mode: 'Once', releaseName: 'typo' })]), records, fleet(20));
    const reverted = pass(once, records, { ...fleet(20), status: { removals: typo.finding.removals ?? {} } });
    expect(reverted.finding.removals).toBeUndefined();
    const owned = running(BEFORE, fleet(0));
    const first = pass(BEFORE, owned, fleet(15, 0)).finding.removals ?? {};
    const annotations = { [APPROVE]: first.approval ?? '' };
    const approved = pass(BEFORE, owned, { ...fleet(15, 0), status: { removals: first }, annotations });
    expect(writes(approved)).toHaveLength(14);
    const status = { removals: approved.finding.removals ?? {} };
    const rest = owned.filter((_, index) => index === 0 || index > 14);
    expect(pass(BEFORE, rest, { ...fleet(15, 0), status, annotations }).finding.removals?.heldSince).toBeUndefined();
    // The same labels are lost again, while the old approval is where it was.
    const back = pass(BEFORE, owned, { ...fleet(1, 0), status, annotations });
    const again = { status: { removals: back.finding.removals ?? {} }, annotations };
    expect(writes(pass(BEFORE, owned, { ...fleet(15, 0), ...again }))).toEqual([]);
  });

  it('that an older version wrote outlives a pass in which all of it are paused', () => {
    const none = application([selecting({ env: 'none' })]);
    const { waiting, ...old } = pass(none, children, { clusters: three() }).finding.removals ?? {};
    expect(waiting).toHaveLength(3);
    const paused = three([{ isPaused: true }, { isPaused: true }, { isPaused: true }]);
    const between = pass(none, children, { clusters: paused, status: { removals: old } });
    const back = three([{}, { isPaused: true }, { isPaused: true }]);
    const status = { removals: between.finding.removals ?? {} };
    expect(writes(pass(none, children, { clusters: back, status }))).toEqual([]);
  });

  it('whose approval is withdrawn waits as before', () => {
    const ran = running(BEFORE, {
      clusters: inventory(Array.from({ length: 40 }, (_, n) => own(`c${n}`, { env: 'prod' }))),
    });
    const left = inventory(Array.from({ length: 40 }, (_, n) => own(`c${n}`, { env: n < 15 ? 'lost' : 'prod' })));
    const app: Application = { ...BEFORE, spec: { ...BEFORE.spec, maxRemovals: 10 } };
    const first = pass(app, ran, { clusters: left }).finding.removals ?? {};
    const annotations = { [APPROVE]: first.approval ?? '' };
    const approved = pass(app, ran, { clusters: left, status: { removals: first }, annotations });
    expect(writes(approved)).toHaveLength(15);
    const rest = ran.slice(6);
    const status = { removals: approved.finding.removals ?? {} };
    expect(writes(pass(app, rest, { clusters: left, status, annotations }))).toHaveLength(9);
    expect(writes(pass(app, rest, { clusters: left, status }))).toEqual([]);
  });

  it.each<[string, World]>([
    ['paused', { clusters: three([{ isPaused: true }, { isPaused: true }, { isPaused: true }]) }],
    ['unknown', { clusters: { ...three(), clusters: [], lost: ['why'], whyUnknown: () => 'why' } }],
  ])('outlives a pass in which all of it are %s', (_, world) => {
    const none = application([selecting({ env: 'none' })]);
    for (const edit of [EDITED, none]) {
      const status = { removals: pass(edit, children, { clusters: three() }).finding.removals ?? {} };
      const between = pass(edit, children, { ...world, status });
      expect(writes(between)).toEqual([]);
      const again = { status: { removals: between.finding.removals ?? {} } };
      const back = three([{}, { isPaused: true }, { isPaused: true }]);
      expect(writes(pass(edit, children, { ...again, clusters: back }))).toEqual([]);
      // Nothing could be removed meanwhile, so an approval of that time is void.
      expect(between.finding.removals?.approval).toBeUndefined();
      const annotations = { [APPROVE]: status.removals.approval ?? '' };
      expect(writes(pass(edit, children, { ...again, clusters: three(), annotations }))).toEqual([]);
      expect(pass(BEFORE, children, { ...again, clusters: three() }).finding.removals).toBeUndefined();
    }
  });
});
