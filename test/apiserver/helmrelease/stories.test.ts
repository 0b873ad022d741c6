import { beforeAll, expect, test } from '@jest/globals';
import { namespaceResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { eventually } from '../../support/world.js';
import { HOOKED, job, PLAIN, type ChartFiles } from './charts.js';
import { allRevisions, revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

type Spec = Partial<HelmRelease['spec']>;

const SOON = 240_000;
/** PLAIN with an object that the server refuses, and one that must not change. */
const TOUCHY: ChartFiles = {
  ...PLAIN,
  'templates/bad.yaml': `{{- if .Values.bad }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-bad}
data: {"no key": x}
{{- end }}
`,
  'templates/frozen.yaml': `{{- if .Values.frozen }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-frozen}
immutable: true
data: {color: {{ .Values.color }}}
{{- end }}
`,
};

/** HOOKED with a hook that a rollback runs first. */
const REVERSIBLE: ChartFiles = { ...HOOKED, 'templates/back.yaml': job('back', 'pre-rollback') };

const harness = useHarness('hr-story', {
  charts: { touchy: TOUCHY, hooked: HOOKED, reversible: REVERSIBLE },
  concurrency: 16,
});

function chart(name: string): Spec {
  return { chart: { spec: { chart: name, version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } };
}

const touchy = (values: Record<string, unknown>, more: Spec = {}): Spec => ({ ...chart('touchy'), values, ...more });
const hooked = (values: Record<string, unknown>, more: Spec = {}): Spec => ({ ...chart('hooked'), values, ...more });
const reversible = (values: Record<string, unknown>, more: Spec = {}): Spec => ({
  ...chart('reversible'),
  values,
  ...more,
});
const BAD = { color: 'green', bad: true };

async function install(name: string, spec: Spec): Promise<void> {
  await harness.apply(name, spec);
  await harness.until(name, isReady, SOON);
}

function isReady(release: HelmRelease): void {
  expect(release.status?.observedGeneration).toBe(release.metadata.generation);
  expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'True' });
}

function isStalled(release: HelmRelease): void {
  expect(release.status?.observedGeneration).toBe(release.metadata.generation);
  expect(conditionOf(release, 'Stalled')).toMatchObject({ status: 'True' });
}

/** `True InstallSucceeded`; undefined where there is no such condition. */
function brief(release: HelmRelease, type: string): string | undefined {
  const condition = conditionOf(release, type);
  return condition && `${condition.status} ${condition.reason}`;
}

/** What a story ends with: conditions, counters and helm's history. */
interface End {
  readonly conditions: Readonly<Record<string, string>>;
  /** `failures/installFailures/upgradeFailures`; `-` where there is none. */
  readonly counters: string;
  readonly history: readonly string[];
}

/** An upgrade that failed once, and may fail no more. */
const STALLED_UPGRADE: End = {
  conditions: { Ready: 'False UpgradeFailed', Released: 'False UpgradeFailed', Stalled: 'True RetriesExceeded' },
  counters: '1/-/1',
  history: ['1 deployed', '2 failed'],
};

async function expectEnd(name: string, isAtRest: (release: HelmRelease) => void, end: End): Promise<HelmRelease> {
  const { history, ...status } = end;
  const ended = (release: HelmRelease): void => {
    isAtRest(release);
    const conditions = (release.status?.conditions ?? []).map(({ type }) => [type, brief(release, type)]);
    const { failures = '-', installFailures = '-', upgradeFailures = '-' } = release.status ?? {};
    const counters = [failures, installFailures, upgradeFailures].join('/');
    expect({ conditions: Object.fromEntries(conditions) as unknown, counters }).toEqual(status);
  };
  const release = await harness.until(name, ended, SOON);
  expect(await revisionsOf(harness, name)).toEqual(history);
  return release;
}

const STORIES: Readonly<Record<string, () => Promise<void>>> = {
  async 'a failing test that the release ignores leaves it Ready'() {
    await harness.apply('ignored', hooked({ check: 'fail' }, { test: { enable: true, ignoreFailures: true } }));
    await expectEnd('ignored', isReady, {
      conditions: {
        Ready: 'True InstallSucceeded',
        Released: 'True InstallSucceeded',
        TestSuccess: 'False TestFailed',
      },
      counters: '1/-/-',
      history: ['1 deployed'],
    });
  },

  async 'a failing test that only the remediation of upgrades ignores is reported, without remediation'() {
    const wish = { test: { enable: true }, upgrade: { remediation: { ignoreTestFailures: true, retries: 1 } } };
    await install('tolerant', hooked({}, wish));
    await harness.apply('tolerant', hooked({ check: 'fail' }, wish));
    const isTold = (release: HelmRelease): void => {
      expect(release.status?.observedGeneration).toBe(release.metadata.generation);
      expect(brief(release, 'TestSuccess')).toBe('False TestFailed');
    };
    await expectEnd('tolerant', isTold, {
      conditions: { Ready: 'False TestFailed', Released: 'True UpgradeSucceeded', TestSuccess: 'False TestFailed' },
      counters: '1/-/-',
      history: ['1 superseded', '2 deployed'],
    });
  },

  async 'a failing test of an upgrade is rolled back'() {
    const wish = { test: { enable: true }, upgrade: { remediation: { remediateLastFailure: true } } };
    await install('tested', hooked({ color: 'red' }, wish));
    await harness.apply('tested', hooked({ color: 'green', check: 'fail' }, wish));
    await expectEnd('tested', isStalled, {
      conditions: {
        Ready: 'False RollbackSucceeded',
        Released: 'True UpgradeSucceeded',
        TestSuccess: 'False TestFailed',
        Remediated: 'True RollbackSucceeded',
        Stalled: 'True RetriesExceeded',
      },
      counters: '1/-/1',
      history: ['1 superseded', '2 superseded', '3 deployed'],
    });
    expect((await harness.configMap('tested'))?.data?.['color']).toBe('red');
  },

  async 'a hook that fails in an upgrade leaves the running objects unchanged'() {
    await install('hooked', hooked({ color: 'red' }));
    await harness.apply('hooked', hooked({ color: 'green', before: 'fail' }));
    const release = await expectEnd('hooked', isStalled, STALLED_UPGRADE);
    expect(conditionOf(release, 'Ready')?.message).toMatch(/pre-upgrade hooks failed: .*Job\/hooked-before failed/);
    expect((await harness.configMap('hooked'))?.data?.['color']).toBe('red');
    // As helm keeps it, for who asks why.
    const { hooks } = JSON.parse(await harness.helm('status', 'hooked', '--revision=2', '--output=json')) as {
      hooks: { name: string; last_run: { phase: string; completed_at?: string } }[];
    };
    const ran = hooks.find(({ name }) => name === 'hooked-before')?.last_run;
    expect(ran).toMatchObject({ phase: 'Failed', completed_at: expect.any(String) });
  },

  async 'an immutable field is named, and nothing is recreated, even with force'() {
    await install('frozen', touchy({ color: 'red', frozen: true }));
    const uid = (await harness.configMap('frozen-frozen'))?.metadata.uid;
    await harness.apply('frozen', touchy({ color: 'green', frozen: true }, { upgrade: { force: true } }));
    const failed = await expectEnd('frozen', isStalled, STALLED_UPGRADE);
    expect(conditionOf(failed, 'Ready')?.message).toMatch(/frozen-frozen.*immutable/);
    expect(await harness.configMap('frozen-frozen')).toMatchObject({ metadata: { uid }, data: { color: 'red' } });
  },

  async 'an upgrade is retried up to its limit, and rolled back each time'() {
    const wish = { upgrade: { remediation: { retries: 1 } } };
    await install('twice', touchy({ color: 'red' }, wish));
    await harness.apply('twice', touchy(BAD, wish));
    const stalled = await expectEnd('twice', isStalled, {
      conditions: {
        Ready: 'False RollbackSucceeded',
        Released: 'False UpgradeFailed',
        Remediated: 'True RollbackSucceeded',
        Stalled: 'True RetriesExceeded',
      },
      counters: '2/-/2',
      history: ['1 superseded', '2 failed', '3 superseded', '4 failed', '5 deployed'],
    });
    expect(conditionOf(stalled, 'Stalled')?.message).toContain('Failed to upgrade after 2 attempt(s): ');
    expect(conditionOf(stalled, 'Ready')?.message).toMatch(
      /^Helm rollback to previous release .*\/twice\.v3 with chart touchy@1\.0\.0 succeeded$/,
    );
    expect((await harness.configMap('twice'))?.data?.['color']).toBe('red');
    // What was gone back to is asked for now: no revision is needed for that.
    await harness.apply('twice', touchy({ color: 'red' }, wish));
    await expectEnd('twice', isReady, {
      conditions: { Ready: 'True UpgradeSucceeded', Released: 'True UpgradeSucceeded' },
      counters: '-/-/-',
      history: ['1 superseded', '2 failed', '3 superseded', '4 failed', '5 deployed'],
    });
  },

  async 'a rollback that fails without a retry left stalls, and is not repeated at the next reconciliation'() {
    const wish: Spec = { interval: '2s', upgrade: { remediation: { retries: 0, remediateLastFailure: true } } };
    await install('oneway', reversible({ color: 'red', back: 'fail' }, wish));
    await harness.apply('oneway', reversible({ color: 'green', before: 'fail' }, wish));
    const end: End = {
      conditions: {
        Ready: 'False RollbackFailed',
        Released: 'False UpgradeFailed',
        Remediated: 'False RollbackFailed',
        Stalled: 'True RetriesExceeded',
      },
      counters: '2/-/1',
      history: ['1 deployed', '2 failed', '3 failed'],
    };
    const stalled = await expectEnd('oneway', isStalled, end);
    expect(conditionOf(stalled, 'Released')?.message).toMatch(/pre-upgrade hooks failed/);
    const ref = { name: 'oneway', namespace: harness.namespace };
    const metadata = { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } };
    await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata } });
    const isLookedAt = (release: HelmRelease): void => expect(release.status?.lastHandledReconcileAt).toBe('now');
    await expectEnd('oneway', isLookedAt, end);
  },

  async 'an upgrade may be remediated by an uninstall, and is installed again'() {
    const wish: Spec = { upgrade: { remediation: { retries: 1, strategy: 'uninstall' } } };
    await install('anew', touchy({ color: 'red' }, wish));
    await harness.apply('anew', touchy(BAD, wish));
    await expectEnd('anew', isStalled, {
      conditions: { Ready: 'False InstallFailed', Released: 'False InstallFailed', Stalled: 'True RetriesExceeded' },
      counters: '2/1/1',
      history: ['1 failed'],
    });
    await harness.apply('anew', touchy({ color: 'green' }, wish));
    await expectEnd('anew', isReady, {
      conditions: { Ready: 'True UpgradeSucceeded', Released: 'True UpgradeSucceeded' },
      counters: '-/-/-',
      history: ['1 failed', '2 deployed'],
    });
  },

  async 'RetryOnFailure retries without remediation, and resets the counters after a success'() {
    const wish: Spec = { upgrade: { strategy: { name: 'RetryOnFailure', retryInterval: '1s' } }, maxHistory: 3 };
    await install('stubborn', touchy({ color: 'red' }, wish));
    await harness.apply('stubborn', touchy(BAD, wish));
    const failing = await harness.until(
      'stubborn',
      (release) => {
        expect(release.status?.upgradeFailures ?? 0).toBeGreaterThan(2);
        expect(brief(release, 'Reconciling')).toBe('True ProgressingWithRetry');
      },
      SOON,
    );
    expect(brief(failing, 'Ready')).toBe('False UpgradeFailed');
    expect([brief(failing, 'Stalled'), brief(failing, 'Remediated')]).toEqual([undefined, undefined]);
    const history = await revisionsOf(harness, 'stubborn');
    expect(history[0]).toBe('1 deployed');
    expect(history.length).toBeLessThanOrEqual(4);
    await harness.apply('stubborn', touchy({ color: 'green' }, wish));
    const release = await harness.until('stubborn', isReady, SOON);
    expect(release.status).not.toHaveProperty('failures');
    expect(release.status).not.toHaveProperty('upgradeFailures');
    const revisions = await revisionsOf(harness, 'stubborn');
    expect(revisions.filter((each) => each.endsWith(' deployed'))).toEqual([revisions.at(-1)]);
  },

  async 'RetryOnFailure applies to charts that helm rejects as well'() {
    const wish: Spec = { upgrade: { strategy: { name: 'RetryOnFailure', retryInterval: '1s' } } };
    await install('refused', touchy({ color: 'red' }, wish));
    await harness.apply('refused', touchy({ color: 5 }, wish));
    const isRetrying = (release: HelmRelease): void => {
      expect(release.metadata.generation).toBe(release.status?.lastAttemptedGeneration);
      expect(brief(release, 'Reconciling')).toBe('True ProgressingWithRetry');
    };
    await expectEnd('refused', isRetrying, {
      conditions: {
        Ready: 'False UpgradeFailed',
        Released: 'False UpgradeFailed',
        Reconciling: 'True ProgressingWithRetry',
      },
      counters: '1/-/-',
      history: ['1 deployed'],
    });
  },

  async 'RetryOnFailure waits for nothing after a failing test that is ignored'() {
    const wish: Spec = {
      test: { enable: true, ignoreFailures: true },
      install: { strategy: { name: 'RetryOnFailure' } },
    };
    await harness.apply('patient', hooked({ check: 'fail' }, wish));
    await expectEnd('patient', isReady, {
      conditions: {
        Ready: 'True InstallSucceeded',
        Released: 'True InstallSucceeded',
        TestSuccess: 'False TestFailed',
      },
      counters: '1/-/-',
      history: ['1 deployed'],
    });
  },

  async 'a release whose namespace was deleted is installed again at the interval'() {
    const name = `${harness.namespace}-gone`;
    const place = { targetNamespace: name, storageNamespace: name, interval: '2s' };
    await install('homeless', touchy({}, { ...place, install: { createNamespace: true } }));
    const before = await harness.member.get(namespaceResource, { name });
    await harness.member.delete(namespaceResource, { name });
    await eventually(
      async () => {
        const now = await harness.member.get(namespaceResource, { name });
        expect(now?.metadata.uid ?? before?.metadata.uid).not.toBe(before?.metadata.uid);
        expect((await allRevisions(harness.member)).get(`${name}/homeless`)).toEqual(['1 deployed']);
      },
      { timeoutMs: SOON },
    );
    const release = await harness.until('homeless', isReady, SOON);
    expect(brief(release, 'Ready')).toBe('True InstallSucceeded');
    expect(release.status?.history?.map(({ version, status }) => `${version} ${status}`)).toEqual(['1 deployed']);
  },
};

const running = new Map<string, Promise<void>>();

// All at the same time: most of each story is waiting.
beforeAll(() => {
  for (const [name, tell] of Object.entries(STORIES)) {
    const told = tell();
    // A failure is looked at by the test of the story.
    told.catch(() => undefined);
    running.set(name, told);
  }
});

test.each(Object.keys(STORIES))('%s', (name) => running.get(name), 600_000);
