import { describe, expect, it } from '@jest/globals';
import { type Row, rowsOf, terminatingRow } from '#controllers/application/model/status/rows.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Outcome, Step } from '#controllers/application/model/child/verdicts.js';
import {
  application,
  applied,
  deploy,
  files,
  filesApplication,
  leaving,
  reporting,
  rowsFor,
  well,
  work,
  type Deploy,
} from './builders.js';

const app = application([deploy('prod', 'eu')]);
const [made] = applied([], work(app).steps);
const fresh: Child = made!;
const outdated: Child = { ...well(fresh), metadata: { ...fresh.metadata, generation: 2 } };

function paused(child: Child): Child {
  return { ...child, spec: { ...child.spec, suspend: true } };
}

/** The child with one condition more. */
function also(child: Child, type: string, status: 'True' | 'False', message: string): Child {
  const more = { type, status, reason: type, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  return { ...child, status: { ...child.status, conditions: [...(child.status?.conditions ?? []), more] } };
}

const entryOf = (step: Step) => ({ entry: 'entry' in step ? step.entry : undefined });

function rowOf(child: Child | undefined, more: Partial<Outcome> = {}, lack?: string): Row | undefined {
  const { steps, rejected } = work(app, child === undefined ? [] : [child]);
  const outcomes = steps.map((step) => ({ step, child, ...more }));
  const destinations = steps.map((step) => ({ ...entryOf(step), live: child, missing: lack }));
  return rowsOf({ outcomes, rejected, destinations })[0];
}

describe('the row of a destination', () => {
  it('says where it is and which release', () => {
    expect(rowOf(well(fresh))).toMatchObject({
      name: 'eu-prod',
      key: 'eu-prod',
      cluster: 'eu',
      namespace: 'prod',
      release: 'web',
      state: 'Ready',
      wanted: true,
    });
  });

  it('that is ready holds only the words of its child', () => {
    const words = 'Helm install succeeded for release prod/web.v1 with chart podinfo@1.0.0';
    expect(rowOf(reporting(fresh, 'True', 'InstallSucceeded', words))?.message).toBe(words);
  });

  it('that failed keeps the whole cause of a usual failure', () => {
    const pod =
      'Pod/app/multi-cluster-7d4b9c6f5d-x2x9p: container harbour: ImagePullBackOff: Back-off pulling image "a"';
    const objects = `Deployment/app/multi-cluster: InProgress: Available: 0/1: ${pod}`;
    const words = `Helm upgrade failed for release app/multi-cluster with chart harbour@0.1.0+8728d572d566: timeout waiting for: [${objects}]`;
    expect(rowOf(reporting(fresh, 'False', 'UpgradeFailed', words))?.message).toContain(words);
  });

  it.each<[string, Child, string]>([
    ['failed', reporting(fresh, 'False', 'InstallFailed', 'no such image'), 'no such image'],
    ['on its way', reporting(fresh, 'Unknown', 'Progressing', 'installing'), 'installing'],
    ['unreachable', reporting(fresh, 'False', 'ClusterUnreachable', 'no answer'), 'no answer'],
    ['suspended', paused(well(fresh)), 'suspended; last status: InstallSucceeded'],
    ['suspended, and edited since', paused(outdated), 'suspended; last status: InstallSucceeded'],
    ['suspended from the first', paused(fresh), 'suspended before its first status'],
    [
      'on its way, and doing something',
      also(reporting(fresh, 'Unknown', 'Progressing', 'in progress'), 'Reconciling', 'True', 'running the upgrade'),
      'running the upgrade',
    ],
    ['drifted', also(well(fresh), 'Drifted', 'True', 'replicas differ'), 'replicas differ'],
    [
      'stalled on its way',
      also(reporting(fresh, 'Unknown', 'Progressing'), 'Stalled', 'True', 'no retry is left'),
      'no retry is left',
    ],
    [
      'stalled with a failure',
      also(reporting(fresh, 'False', 'InstallFailed', 'no such image'), 'Stalled', 'True', 'no retry is left'),
      'no such image',
    ],
    [
      'rolled back after a failure',
      also(reporting(fresh, 'False', 'RollbackSucceeded', 'rolled back'), 'Released', 'False', 'no such image'),
      'no such image; rolled back',
    ],
    [
      'not tested well, though released',
      also(reporting(fresh, 'False', 'TestFailed', 'a test failed'), 'Released', 'True', 'released'),
      'a test failed',
    ],
    ['without a report', fresh, 'no status reported yet'],
    ['behind its last change', outdated, 'the engine has not reconciled the last change yet'],
  ])('that is %s names the object to look at', (_, child, words) => {
    const row = rowsFor([deploy('prod', 'eu')], () => child)[0];
    expect(row?.message).toBe(`HelmRelease shop/${fresh.metadata.name}: ${words}`);
  });

  it('says what it lacks first, but nothing of it once it is ready', () => {
    const lack = 'Secret shop/eu does not exist';
    expect(rowOf(fresh, {}, lack)?.message).toMatch(
      /^Secret shop\/eu does not exist; HelmRelease .*: no status reported yet$/,
    );
    expect(rowOf(well(fresh), {}, lack)?.message).toBe('InstallSucceeded');
  });

  it('says why its inline source cannot be fetched, at a bounded length, and waits for nothing then', () => {
    const words = `cannot fetch https://charts.invalid/index.yaml: ${'x'.repeat(1_000)}: no such host`;
    const source = { ...fresh, kind: 'HelmRepository', metadata: { name: 'inline-a', namespace: 'shop' } };
    const child = reporting(fresh, 'False', 'SourceNotReady', "HelmChart 'shop/x' is not ready: no artifact");
    const { steps, rejected } = work(app, [child]);
    const outcomes = steps.map((step) => ({ step, child }));
    const wait = { reason: 'Source', message: 'x', change: () => '' } as const;
    const input = { outcomes, rejected, waitOf: () => wait };
    const from = (made: Child): readonly Row[] =>
      rowsOf({
        ...input,
        destinations: steps.map((step) => ({ ...entryOf(step), live: child, source: made })),
      });
    const [row] = from(reporting(source, 'False', 'IndexationFailed', words));
    expect([row?.state, row?.wait]).toEqual(['Failed', undefined]);
    expect(row?.message).toMatch(
      /^HelmRelease shop\/\S+: HelmRepository shop\/inline-a: cannot fetch .*: no such host$/,
    );
    expect(row?.message.length).toBeLessThanOrEqual(375);
    expect(from(source)[0]).toMatchObject({ state: 'Pending', wait });
  });

  it('says why its child could not be written', () => {
    const row = rowOf(well(fresh), { error: new Error('cannot update HelmRelease: forbidden') });
    expect(row).toMatchObject({ state: 'Failed', message: 'cannot update HelmRelease: forbidden' });
  });

  it.each<[string, Child['status'], string | undefined]>([
    ['that was released', { history: [{ chartVersion: '1.1.0' }, { chartVersion: '1.0.0' }] }, '1.1.0'],
    [
      'that an upgrade failed to replace',
      {
        lastAttemptedRevision: '1.2.0',
        history: [
          { chartVersion: '1.2.0', status: 'failed' },
          { chartVersion: '1.1.0', status: 'deployed' },
        ],
      },
      '1.1.0',
    ],
    [
      'of none whose installation failed',
      { lastAttemptedRevision: '1.2.0', history: [{ chartVersion: '1.2.0', status: 'failed' }] },
      undefined,
    ],
    ['of none that was never tried', {}, undefined],
  ])('shows the revision %s', (_, status, revision) => {
    expect(rowOf({ ...fresh, status: status ?? {} })?.revision).toBe(revision);
  });
});

describe('the row of files', () => {
  const kustomized = filesApplication([files(undefined, 'eu')]);
  const [child] = applied([], work(kustomized).steps);

  it('has the revision that was applied, and neither namespace nor release where there is none', () => {
    const lastAppliedRevision = 'main@sha1:0123456';
    const live = well({ ...child!, status: { lastAppliedRevision, lastAttemptedRevision: 'main@sha1:9' } });
    const { steps, rejected } = work(kustomized, [live]);
    const outcomes = steps.map((step) => ({ step, child: live }));
    const [row] = rowsOf({ outcomes, rejected });
    expect(row).toMatchObject({ name: 'eu', cluster: 'eu', state: 'Ready', revision: lastAppliedRevision });
    expect([row?.namespace, row?.release]).toEqual([undefined, undefined]);
    expect(terminatingRow(live, 'why').release).toBeUndefined();
  });
});

describe('the row of a child that no entry wants', () => {
  const name = `HelmRelease shop/${fresh.metadata.name}`;
  const unwanted = (child: Child, entries: Deploy[]): Row | undefined => {
    const { steps, rejected } = work(application(entries), [child]);
    const outcomes = steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
    return rowsOf({ outcomes, rejected }).find(({ wanted }) => !wanted);
  };

  it('is shown until it is gone with the same words, and never counted', () => {
    const row = { name: 'eu-prod', cluster: 'eu', state: 'Deleting', wanted: false };
    const message = `${name}: no entry specifies it any more`;
    expect(unwanted(well(fresh), [deploy('test')])).toMatchObject({ ...row, message });
    expect(unwanted(leaving(well(fresh)), [deploy('test')])).toMatchObject({ ...row, message });
  });

  it('says what keeps it from going', () => {
    const stuck = leaving(reporting(fresh, 'False', 'UninstallFailed', 'a hook failed'));
    expect(terminatingRow(stuck, 'the Application is being deleted').message).toBe(
      `${name} (a hook failed): the Application is being deleted`,
    );
  });

  it('shows the state of its child when it is spared', () => {
    const row = unwanted(well(fresh), [deploy('prod', 'eu', { releaseName: 'Not Valid' })]);
    expect(row).toMatchObject({
      state: 'Ready',
      message: `${name}: left unchanged, spec.fluxApp.spec.config.helmRelease.deploy[0] is rejected and may refer to it`,
    });
  });
});

describe('rows', () => {
  it('come worst first, then by name, whatever the order of the entries', () => {
    const report = (child: Child): Child =>
      child.spec.targetNamespace === 'c' ? reporting(child, 'False', 'InstallFailed') : well(child);
    const entries = [deploy('b'), deploy('c'), deploy('a')];
    const names = (rows: readonly Row[]): string[] => rows.map(({ name }) => name);
    expect(names(rowsFor(entries, report))).toEqual(['c', 'a', 'b']);
    expect(names(rowsFor([...entries].reverse(), report))).toEqual(['c', 'a', 'b']);
  });
});
