import { describe, expect, it } from '@jest/globals';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { unmanagement } from '#controllers/application/model/child/metadata.js';
import { targetOf, type TargetView, viewsOf } from '#controllers/application/model/revisions/targets.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, deploy, entriesOf, leaving, reporting, suspended } from '../builders.js';
import { own } from '../clusters/builders.js';

function wantedWith(values: Record<string, unknown>, more = {}) {
  const app = application([deploy('prod', 'eu', { values, ...more })]);
  return desiredChild(app, entriesOf(app)[0]!, undefined);
}

const wanted = wantedWith({ image: 'b' });
const before = wantedWith({ image: 'a' });
const ready = (child: Child): Child => reporting(child, 'True', 'UpgradeSucceeded');

const once = wantedWith({ image: 'b' }, { mode: 'Once' });
const onceBefore = wantedWith({ image: 'a' }, { mode: 'Once' });

/** Installed once, and suspended by us since. */
function unmanaged(child: Child): Child {
  const { metadata, spec } = unmanagement(child);
  const annotations = { ...child.metadata.annotations, 'gitops.kubesphere.io/installed-once': '6.5.0' };
  expect(Object.keys(metadata.annotations)).toEqual(['gitops.kubesphere.io/installed-once']);
  return { ...child, metadata: { ...child.metadata, annotations }, spec: { ...child.spec, ...spec } };
}

function onceView(live?: Child, wanted: TargetView['wanted'] = once): TargetView {
  return { entry: once.entry, live, wanted, previous: onceBefore, isPinned: false };
}

const waiting = reporting(wanted.object, 'False', 'SourceNotReady');
const stalled = { type: 'Stalled', status: 'True', reason: 'URLInvalid', message: '', lastTransitionTime: '' } as const;
const source = { ...wanted.object, kind: 'OCIRepository', metadata: { name: 'inline', namespace: 'shop' } };
const unfetched = reporting(source, 'False', 'URLInvalid', 'no such host');
const stalledSource: Child = {
  ...unfetched,
  status: { ...unfetched.status, conditions: [...(unfetched.status?.conditions ?? []), stalled] },
};

/** Its engine gave up, until another child changes. */
function refused(child: Child): Child {
  const conditions = [...(child.status?.conditions ?? []), { ...stalled, reason: 'ReleaseHeld' }];
  return { ...child, status: { ...child.status, conditions } };
}

function view(more: Partial<TargetView>): TargetView {
  return { entry: wanted.entry, live: undefined, wanted, previous: before, isPinned: false, ...more };
}

describe('a destination as a rollout sees it', () => {
  it.each<[string, Partial<TargetView>, object]>([
    ['absent', {}, { state: 'absent', isAvailable: false, isAtPrevious: false, hasPrevious: true }],
    ['outdated', { live: ready(before.object) }, { state: 'outdated', isAvailable: true, isAtPrevious: true }],
    ['updating', { live: wanted.object }, { state: 'updating', isAvailable: false, isAtPrevious: false }],
    ['ready', { live: ready(wanted.object) }, { state: 'ready', isAvailable: true, problem: undefined }],
    [
      'failed',
      { live: reporting(wanted.object, 'False', 'UpgradeFailed', 'no room') },
      { state: 'failed', isFailed: true, problem: 'no room' },
    ],
    [
      'failed: the engine gave up on its inline source',
      { live: waiting, source: stalledSource },
      { state: 'failed', problem: 'OCIRepository shop/inline: no such host' },
    ],
    [
      'updating: its inline source is tried again',
      { live: waiting, source: reporting(source, 'False', 'AuthenticationFailed') },
      { state: 'updating', isFailed: false },
    ],
    ...['ArtifactFailed', 'ProcessTimeout', 'FactoryError', 'InternalError', 'OwnerUnknown'].map(
      (reason): [string, Partial<TargetView>, object] => [
        `updating: its engine could not try it (${reason})`,
        { live: reporting(wanted.object, 'False', reason) },
        { state: 'updating' },
      ],
    ),
    [
      'updating: another child has not left its release yet',
      { live: refused(reporting(wanted.object, 'False', 'ReleaseHeld')) },
      { state: 'updating', isAvailable: false },
    ],
    [
      'failed: its release is of another host',
      { live: refused(reporting(wanted.object, 'False', 'StateError')) },
      { state: 'failed' },
    ],
    [
      'updating: somebody deleted its objects since',
      { live: reporting(wanted.object, 'False', 'ObjectsMissing') },
      { state: 'updating', isAvailable: false },
    ],
    [
      'failed: it names a path that is not there',
      { live: reporting(wanted.object, 'False', 'ArtifactFailed', 'kustomization path not found: spec.path "b"') },
      { state: 'failed' },
    ],
    ['rejected', { wanted: undefined, live: ready(before.object) }, { state: 'rejected' }],
    ['rejected, though it failed before', { wanted: undefined, live: waiting }, { state: 'rejected' }],
    ['left: it is pinned', { isPinned: true, live: ready(before.object) }, { state: 'left' }],
    ['left: it is to be suspended', { wanted: wantedWith({}, { suspend: true }) }, { state: 'left' }],
    ['unreachable', { live: reporting(before.object, 'False', 'ClusterUnreachable') }, { isReachable: false }],
    ['without an earlier revision', { previous: undefined }, { hasPrevious: false }],
    ['that its earlier revision does not have', { previous: { ...before, held: 'no' } }, { hasPrevious: false }],
  ])('is %s', (_, more, expected) => {
    expect(targetOf(view(more), 1)).toMatchObject({ stage: 1, id: wanted.entry.path, cluster: 'eu', ...expected });
  });

  it.each(['KubeConfigInvalid', 'KubeConfigSecretNotFound', 'RESTClientError', 'ClusterReplaced'])(
    'cannot be reached with a credential that is broken (%s), unless what is wanted has another one',
    (reason) => {
      const broken = reporting(wanted.object, 'False', reason);
      expect(targetOf(view({ live: broken }), 0).isReachable).toBe(false);
      const kubeConfig = { secretRef: { name: 'eu', key: 'other' } };
      const repaired = { ...wanted, object: { ...wanted.object, spec: { ...wanted.object.spec, kubeConfig } } };
      expect(targetOf(view({ live: broken, wanted: repaired }), 0).isReachable).toBe(true);
    },
  );

  it('is not at a revision whose report is of an earlier generation', () => {
    const live = ready(wanted.object);
    const written = { ...live, metadata: { ...live.metadata, generation: 2 } };
    expect(targetOf(view({ live: written }), 0).state).toBe('updating');
  });

  it('waits for a cluster that is not ready, or has no credential, unless something runs there', () => {
    const states = [
      own('eu', {}, { readiness: { state: 'NotReady', message: '' } }),
      own('eu', {}, { credential: { type: 'none', why: 'it is a program' } }),
    ];
    for (const cluster of states) {
      const entry = { ...wanted.entry, cluster };
      expect(targetOf(view({ entry }), 0).isReachable).toBe(false);
      expect(targetOf(view({ entry, live: ready(before.object) }), 0).isReachable).toBe(true);
    }
    // The entry says itself when its clusters are ready.
    const asked = { ...wanted.entry, cluster: states[0], ready: 'true' };
    expect(targetOf(view({ entry: asked }), 0).isReachable).toBe(true);
    const entry = { ...wanted.entry, cluster: own('eu', {}, { isPaused: true }) };
    expect(targetOf(view({ entry }), 0).state).toBe('left');
  });

  it.each<[string, Child['spec'], string, string]>([
    ['gave up on its chart', { chart: 'podinfo', version: '1.x' }, 'True', 'failed'],
    ['still tries to fetch its chart', { chart: 'podinfo', version: '1.x' }, 'False', 'updating'],
    ['gave up on the version before', { chart: 'podinfo', version: '9.9.9' }, 'True', 'updating'],
    ['gave up on the chart before', { chart: 'podnifo', version: '1.x' }, 'True', 'updating'],
    ['gave up on other files', { chart: 'podinfo', version: '1.x', valuesFiles: ['a.yaml'] }, 'True', 'updating'],
  ])('whose engine %s', (_, spec, stalled, state) => {
    const status = { type: 'Stalled', status: stalled as 'True', reason: 'R', message: '', lastTransitionTime: '' };
    const live = reporting(wanted.object, 'False', 'SourceNotReady');
    const chart = { ...live, kind: 'HelmChart', spec, status: { conditions: [status] } };
    expect(targetOf(view({ live, chart }), 0)).toMatchObject({ state, isFailed: state === 'failed' });
  });

  it.each<[string, Child | undefined, string]>([
    ['is not installed yet', undefined, 'absent'],
    ['was not installed before the change', reporting(onceBefore.object, 'Unknown', 'Progressing'), 'outdated'],
    ['is being installed', reporting(once.object, 'Unknown', 'Progressing'), 'updating'],
    ['could not be installed', reporting(once.object, 'False', 'InstallFailed'), 'failed'],
    ['is installed, and not suspended yet', ready(onceBefore.object), 'left'],
    ['was installed once', unmanaged(ready(onceBefore.object)), 'left'],
  ])('with the mode Once, if it %s: %s', (_, live, state) => {
    expect(targetOf(onceView(live), 0).state).toBe(state);
  });

  it('takes no part when it was installed once, even if its entry is rejected', () => {
    const view = { ...onceView(unmanaged(ready(onceBefore.object))), wanted: undefined };
    expect(targetOf(view, 0)).toMatchObject({ state: 'left', isOnce: true });
    expect(targetOf({ ...view, isPinned: true }, 0)).toMatchObject({ state: 'left', isOnce: true });
  });

  it('takes part again when its mode becomes Continuous', () => {
    const live = unmanaged(ready(onceBefore.object));
    expect(targetOf(view({ live, previous: onceBefore }), 0).state).toBe('outdated');
  });

  it('cannot be reached while ready of its entry is false, unless something runs there', () => {
    const entry = { ...wanted.entry, gate: { waits: 'waiting for cluster eu: ready is false' } };
    expect(targetOf(view({ entry }), 0)).toMatchObject({ state: 'absent', isReachable: false });
    expect(targetOf(view({ entry, live: ready(before.object) }), 0).isReachable).toBe(true);
  });

  it('may be rejected', () => {
    const violation = { reason: 'ValuesInvalid', message: 'no' } as const;
    const views = viewsOf([wanted], [{ entry: before.entry, live: before.object, violation }], {
      destinations: [],
      previousOf: () => undefined,
      isPinned: () => false,
    });
    expect(views.map((each) => targetOf(each, 0).problem)).toEqual([undefined, 'no']);
    expect(views.map(({ live, wanted: each }) => [live, each])).toEqual([
      [undefined, wanted],
      [before.object, undefined],
    ]);
  });

  it.each<[string, Child, boolean]>([
    ['has no access', reporting(leaving(before.object), 'False', 'KubeConfigInvalid'), false],
    ['cannot reach it', reporting(leaving(before.object), 'False', 'ClusterUnreachable'), false],
    ['is refused, as it is another cluster', reporting(leaving(before.object), 'False', 'ClusterReplaced'), true],
    ['failed otherwise', reporting(leaving(before.object), 'False', 'UninstallFailed'), true],
    [
      'has no access, and is not asked any more',
      suspended(reporting(leaving(before.object), 'False', 'KubeConfigInvalid')),
      true,
    ],
    ['has no access, and is not to go', reporting(before.object, 'False', 'KubeConfigInvalid'), true],
  ])('is new on the cluster of an uninstall that %s', (_, live, isReachable) => {
    const more = {
      destinations: [{ live, chart: undefined, source: undefined }],
      previousOf: () => undefined,
      isPinned: () => false,
    };
    expect(viewsOf([wanted], [], more).map((each) => targetOf(each, 0))).toMatchObject([
      { state: 'absent', isReachable },
    ]);
  });
});
