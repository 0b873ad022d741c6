import { describe, expect, test } from '@jest/globals';
import { budgetsOf } from './budgets.js';
import { allowedFor, eachAllowed } from './allowed.js';
import { filesName } from './content.js';
import type { ClusterObject, HelmTemplateObject, Target } from './facts.js';
import { keptByRollout } from './order.js';
import { ruleText } from './rules.js';
import { app, cluster, everyProd, onHost, release, runs, tell, version, type Says, type Step } from './telling.js';
import { verdictOf } from './wanted.js';

const says = (more: Says, step: Step = {}): Step => ({ applications: [app(more)], ...step });

describe(`files (${ruleText('noPrune')})`, () => {
  const files = (path: string): Target => ({
    kind: 'Kustomization',
    cluster: 'uid-host',
    namespace: 'shop',
    name: filesName({ kind: 'GitRepository', namespace: 'team', name: 'source' }, path),
    storage: '',
  });
  const stage = { ...onHost, name: 'a', path: './stage' };

  test('two entries that swap their paths swap nothing else', () => {
    const [a, b] = [
      { ...onHost, name: 'a', path: './a' },
      { ...onHost, name: 'b', path: './b' },
    ];
    const swapped = [
      { ...a, path: './b' },
      { ...b, path: './a' },
    ];
    const memory = tell(says({ files: [a, b] }, { runs: [runs(files('a'), '[{}]')] }), says({ files: swapped }));
    expect(verdictOf(memory, files('a'))).toMatchObject({ is: 'wanted', uninstall: 'never' });
  });

  test('of an entry that is removed are pruned, unless it says otherwise', () => {
    const running = { runs: [runs(files('stage'), '[{}]')] };
    const other = [{ ...onHost, name: 'b', path: './other' }];
    const removed = tell(says({ files: [stage] }, running), says({ files: other }));
    expect(verdictOf(removed, files('stage'))).toMatchObject({ is: 'unwanted', uninstall: 'must' });
    const kept = tell(says({ files: [{ ...stage, prune: false }] }, running), says({ files: other }));
    expect(verdictOf(kept, files('stage'))).toMatchObject({ uninstall: 'never', rule: 'noPrune' });
    const late = says({ files: [{ ...stage, prune: false }] }, { isSettled: false });
    const open = tell(says({ files: [stage] }, running), late, says({ files: other }));
    expect(verdictOf(open, files('stage'))).toMatchObject({ uninstall: 'may', rule: 'noPrune' });
  });

  test('take the place of a chart, which is uninstalled', () => {
    const memory = tell(says({ deploy: [onHost] }, { runs: [runs(release('host'))] }), says({ files: [stage] }));
    expect(verdictOf(memory, release('host'))).toMatchObject({ is: 'unwanted', uninstall: 'must' });
    expect(verdictOf(memory, files('stage'))).toMatchObject({ is: 'wanted' });
  });
});

describe('templates', () => {
  const template = (...versions: readonly string[]): HelmTemplateObject => ({
    kind: 'HelmTemplate',
    namespace: 'team',
    name: 'base',
    sharedWith: [],
    revisions: versions.map((number) => ({
      sourceRef: { kind: 'HelmRepository', name: 'source', namespace: 'team' },
      chart: { chart: number === 'other' ? 'other' : 'podinfo', version: number },
    })),
    isBroken: false,
  });
  const follows = (name: string): Step => says({ deploy: [onHost], template: name });
  const began: Step = { ...follows('base'), templates: [template('1.0.0')], runs: [runs(release('host'))] };

  test('give their users each new revision', () => {
    const memory = tell(began, { templates: [template('1.0.0', '2.0.0')] });
    expect(allowedFor(memory, release('host')).contents).toContainEqual({
      content: version('2.0.0'),
      rule: 'allAtOnce',
    });
  });

  test('give those that follow one revision nothing new', () => {
    const memory = tell({ ...began, ...follows('base@1') }, { templates: [template('1.0.0', '2.0.0')] });
    expect(allowedFor(memory, release('host')).contents.map(({ content }) => content)).not.toContain(version('2.0.0'));
  });

  test(`with another chart need an approval (${ruleText('templateChart')})`, () => {
    const memory = tell(began, { templates: [template('1.0.0', 'other')] });
    expect(verdictOf(memory, release('host'))).toMatchObject({ isGuarded: true, rule: 'templateChart' });
  });

  test(`that are deleted change nothing (${ruleText('templateProblem')})`, () => {
    const memory = tell(began, { templates: [] });
    expect(verdictOf(memory, release('host'))).toMatchObject({ is: 'held', rule: 'templateProblem' });
  });
});

describe('a mode that becomes Once', () => {
  const once = [{ ...everyProd, mode: 'Once' as const }];
  const began = says({ deploy: [everyProd] }, { clusters: [cluster('one')], runs: [runs(release('one'))] });
  const removed = says({ deploy: [onHost] });

  test(`counts as soon as the child has a record (${ruleText('onceNotYet')})`, () => {
    const seen = tell(began, says({ deploy: once }), removed);
    expect(verdictOf(seen, release('one'))).toMatchObject({ uninstall: 'never', rule: 'onceUnmatched' });
    const unseen = tell(began, says({ deploy: once }, { isSettled: false }), removed);
    expect(verdictOf(unseen, release('one'))).toMatchObject({ uninstall: 'may', rule: 'onceNotYet' });
    const silent = [cluster('one', undefined, { answers: false })];
    const unreachable = tell(began, says({ deploy: once }, { clusters: silent }), removed);
    expect(verdictOf(unreachable, release('one'))).toMatchObject({ uninstall: 'may', rule: 'onceNotYet' });
    const restored = tell(began, says({ deploy: once, version: '2.0.0', uid: 'uid-restored' }), removed);
    expect(verdictOf(restored, release('one'))).toMatchObject({ uninstall: 'may' });
  });
});

describe('overrides', () => {
  const overrides = [{ clusters: { names: ['one'] }, values: { color: 'red' } }];
  const overridden = { ...onHost, overrides };
  const running = { clusters: [cluster('one')], runs: [runs(release('host')), runs(release('one'))] };

  test(`of an entry without clusters leave its release unchanged (${ruleText('overridesInvalid')})`, () => {
    const memory = tell(says({ deploy: [onHost] }, running), says({ deploy: [overridden] }));
    expect(verdictOf(memory, release('host'))).toMatchObject({ is: 'held', rule: 'overridesInvalid' });
    const template = tell(
      says({ deploy: [onHost] }, running),
      says({ deploy: [{ ...onHost, valuesTemplate: 'a: b' }] }),
    );
    expect(verdictOf(template, release('host'))).toMatchObject({ is: 'held', rule: 'overridesInvalid' });
  });

  test('of an entry that lost its clusters decide nothing about what it left', () => {
    const memory = tell(says({ deploy: [{ ...everyProd, overrides }] }, running), says({ deploy: [overridden] }));
    expect(verdictOf(memory, release('one'))).toMatchObject({ is: 'undecided', rule: 'overridesInvalid' });
  });

  test('of clusters keep nothing from them', () => {
    const memory = tell(says({ deploy: [{ ...everyProd, overrides }] }, running));
    expect(verdictOf(memory, release('one'))).toMatchObject({ is: 'wanted', uninstall: 'never' });
  });
});

describe('two names of one cluster', () => {
  const named = (name: string): ClusterObject => cluster(name, { env: 'prod' }, { leadsTo: 'uid-one' });
  const began = says({ deploy: [everyProd] }, { clusters: [named('one')], runs: [runs(release('one'))] });
  const renamed = { clusters: [named('new')] };

  test(`hand no other chart over (${ruleText('notTakenOver')})`, () => {
    const memory = tell(began, says({ deploy: [everyProd], chart: 'other' }, renamed));
    expect(verdictOf(memory, release('one'))).toMatchObject({
      is: 'undecided',
      uninstall: 'never',
      rule: 'notTakenOver',
    });
    const inPlace = { ...everyProd, upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } } as const;
    const allowed = tell(began, says({ deploy: [inPlace], chart: 'other' }, renamed));
    expect(verdictOf(allowed, release('one'))).toMatchObject({ is: 'wanted', rule: 'twoNames' });
  });

  test(`may both get the same files, and only one a release (${ruleText('inStages')})`, () => {
    const rollout = { stages: [{ name: 'canary', clusters: { names: ['new'] } }] };
    const clusters = [named('one'), named('new')];
    const files = [{ ...everyProd, path: './stage' }];
    const [claim] = tell(says({ files, rollout }, { clusters })).claims;
    expect(eachAllowed(tell(says({ files, rollout }, { clusters })), claim!.target)).toHaveLength(2); // it was just told of
    const chart = tell(says({ deploy: [everyProd], rollout }, { clusters }));
    expect(allowedFor(chart, release('one')).contents).toEqual([]);
    // Until one of the names has a child.
    expect(allowedFor(chart, release('one'), true).contents).toHaveLength(1);
  });
});

test(`an Application of an old name has its own revision at once (${ruleText('inStages')})`, () => {
  const memory = tell(says({ deploy: [onHost] }), says({ deploy: [onHost], uid: 'uid-new', version: '2.0.0' }));
  const { revisions, since } = memory.applications.get('team/web')!; // it was just told of
  expect(revisions.at(-1)).toMatchObject({ since, wish: { entries: [{ version: '2.0.0' }] } });
});

describe('a rollout', () => {
  const clusters = ['one', 'two'].map((name) => cluster(name));
  const kind = 'Kustomization' as const;
  const running = [runs(release('one')), runs(release('two'))];
  const there: Target = { ...release('one'), namespace: 'new', storage: 'new' };
  const stages = [{ name: 'canary', clusters: { names: ['one'] }, maxConcurrent: '50%', maxUnavailable: 0 }];

  test(`keeps an old release where the new one is held (${ruleText('oldReleaseStays')})`, () => {
    const moved = { ...everyProd.destination, targetNamespace: 'new' };
    const memory = tell(
      says(
        {
          deploy: [{ ...everyProd, name: 'a' }],
          rollout: { stages: [{ name: 'canary', clusters: { names: ['one'] } }] },
        },
        { clusters, runs: running },
      ),
      says({
        deploy: [{ name: 'a', destination: moved }],
        rollout: { stages: [{ name: 'canary', clusters: { names: ['one'] } }] },
      }),
    );
    expect(keptByRollout(memory, release('one'))).toBeUndefined();
    expect(keptByRollout(memory, release('two'))).toBe('oldReleaseStays');
  });

  test.each([
    ['suspended', { suspend: true }],
    ['installed once', { mode: 'Once' as const }],
  ])(`keeps none for one that is %s (${ruleText('takesNoPart')})`, (_words, more) => {
    const beside = { ...everyProd, destination: { ...everyProd.destination, targetNamespace: 'new' } };
    const stay = { ...everyProd, ...more };
    const memory = tell(
      says({ deploy: [stay, beside], rollout: {} }, { clusters, runs: [...running, runs(there)] }),
      says({ deploy: [stay], rollout: {}, version: '2.0.0' }),
    );
    expect(keptByRollout(memory, there)).toBeUndefined();
  });

  test(`that is aborted may begin with a newer commit (${ruleText('newerCommit')})`, () => {
    const rollout = { stages: [{ name: 'canary', clusters: { names: ['one'] } }] };
    const files = [{ ...everyProd, path: './apps' }];
    const name = filesName({ kind: 'GitRepository', namespace: 'team', name: 'source' }, './apps');
    const [first, second] = ['one', 'two'].map((each) => ({ ...release(each), kind, name, storage: '' }));
    const steps = (head: string): Step[] => [
      says({ files, rollout }, { clusters, head: 'first' }),
      { runs: [runs(first!, '[{}]')], head },
      { act: { do: 'abort', application: 'team/web', revision: 1 } },
    ];
    expect(allowedFor(tell(...steps('first')), second!).contents).toEqual([]);
    expect(allowedFor(tell(...steps('second')), second!).contents).toEqual([{ content: '[{}]', rule: 'inStages' }]);
  });

  test(`may go back to a revision of which some were rejected (${ruleText('rejectedNoFailure')})`, () => {
    const rollout = { onFailure: 'Rollback' } as const;
    const names = [...clusters, { ...cluster('again'), leadsTo: 'uid-two' }];
    const fails = [runs(release('one'), version('2.0.0'), 'Failed')];
    const memory = tell(
      says({ deploy: [everyProd], rollout }, { clusters: names, runs: [running[0]!] }),
      says({ deploy: [everyProd], rollout, version: '2.0.0' }),
      { runs: fails },
    );
    expect(allowedFor(memory, release('one')).contents).toContainEqual({ content: version('1.0.0'), rule: 'rollback' });
  });

  test(`may mean where a cluster leads by now (${ruleText('accepted')})`, () => {
    const memory = tell(says({ deploy: [everyProd] }, { clusters }), {
      clusters: [{ ...clusters[0]!, leadsTo: 'uid-other' }],
    });
    expect(verdictOf(memory, release('other'))).toMatchObject({ is: 'undecided', rule: 'replaced' });
    const installed = tell(
      says({ deploy: [everyProd] }, { clusters, runs: running }),
      { runs: running },
      { clusters: [{ ...clusters[0]!, leadsTo: 'uid-other' }] },
    );
    expect(verdictOf(installed, release('other'))).toMatchObject({ is: 'held', rule: 'notOurs' });
  });

  test(`may mean it as well if its child was lost before, with its Application (${ruleText('accepted')})`, () => {
    const begins = says({ deploy: [everyProd] }, { clusters, runs: running });
    const leads = { clusters: [{ ...clusters[0]!, leadsTo: 'uid-other' }, clusters[1]!] };
    const restored = says({ deploy: [everyProd], uid: 'uid-restored' });
    const doubtful = { is: 'undecided', rule: 'replaced' };
    expect(verdictOf(tell(begins, leads, restored), release('other'))).toMatchObject(doubtful);
    // A cluster with two names gets no new child.
    const twice = { clusters: [clusters[0]!, { ...clusters[1]!, leadsTo: 'uid-one' }] };
    expect(verdictOf(tell(begins, twice, restored, leads), release('other'))).toMatchObject(doubtful);
    // One that was made again says where it is.
    expect(verdictOf(tell(begins, restored, {}, leads), release('other'))).toMatchObject({
      is: 'held',
      rule: 'notOurs',
    });
  });

  test(`is for the oldest Application that wants it, until it is installed (${ruleText('olderClaim')})`, () => {
    const [older, newer] = [
      { created: '2026-01-01', uid: 'uid-web' },
      { created: '2026-01-02', name: 'shop', uid: 'uid-shop' },
    ];
    const deploy = [{ ...everyProd, releaseName: 'web' }];
    const waiting = app({ ...newer, deploy, rollout: { paused: true } });
    const told = (created: string, more: Step = {}, rollout?: Says['rollout']): ReturnType<typeof tell> =>
      tell(
        { applications: [app({ ...older, deploy: [onHost] }), waiting], clusters, ...more },
        { applications: [app({ ...older, created, deploy, rollout }), waiting] },
      );
    expect(allowedFor(told('2026-01-01'), release('one'))).toMatchObject({ isUndecided: false, rule: 'allAtOnce' });
    expect(allowedFor(told('2026-01-03'), release('one'))).toMatchObject({ contents: [], rule: 'rolloutPaused' });
    // One whose stages are not valid is no valid Application.
    const twice = ['a', 'b'].map((name) => ({ name, clusters: { names: ['one'] } }));
    for (const stages of [[{ name: 'a' }], twice]) {
      const memory = told('2026-01-01', {}, { stages });
      expect(allowedFor(memory, release('one'))).toMatchObject({ contents: [], rule: 'rolloutPaused' });
    }
    // Two of one age, or a child that nobody sees.
    const silent = { clusters: clusters.map((each) => ({ ...each, answers: false })) };
    for (const memory of [told('2026-01-02'), told('2026-01-01', silent)]) {
      expect(verdictOf(memory, release('one'))).toMatchObject({ is: 'undecided', rule: 'olderClaim' });
    }
  });

  test(`that was left behind with another chart holds no stage that needs no proof (${ruleText('leftBehind')})`, () => {
    const before = says({ deploy: [everyProd], policy: 'Orphan', chart: 'nginx' }, { clusters, runs: [running[0]!] });
    const after = (onFailure: 'Continue' | 'Pause'): Step =>
      says({ deploy: [everyProd], uid: 'uid-next', rollout: { stages, onFailure } }, { runs: left });
    const left = [runs(release('one'), version('1.0.0', 'nginx'))];
    const gone = [{ runs: left }, says({ isDeleted: true, policy: 'Orphan' }), { applications: [] }];
    expect(allowedFor(tell(before, ...gone, after('Pause')), release('two')).contents).toEqual([]);
    expect(allowedFor(tell(before, ...gone, after('Continue')), release('two')).contents).toHaveLength(1);
  });

  test(`has limits for each stage (${ruleText('zeroLimit')})`, () => {
    const memory = tell(says({ deploy: [everyProd], rollout: { stages } }, { clusters, runs: running }));
    expect(budgetsOf(memory, 'team/web')).toEqual([
      { stage: 'canary', maxConcurrent: 1, maxUnavailable: 0, updating: 0, unavailable: 0 },
      { stage: 'rest', maxConcurrent: undefined, maxUnavailable: undefined, updating: 0, unavailable: 0 },
    ]);
  });
});
