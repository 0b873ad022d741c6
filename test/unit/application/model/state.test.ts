import { describe, expect, it } from '@jest/globals';
import { type Facts, isChartFailed, stateOf } from '#controllers/application/model/children/state.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, reporting, work } from './builders.js';

const [made] = applied([], work(application([deploy('prod')])).steps);
const fresh: Child = made!;
const ready = reporting(fresh, 'True', 'InstallSucceeded');
const facts = (child: Child | undefined, more: Partial<Facts> = {}): Facts => {
  return { child, rejected: false, writeFailed: false, ...more };
};

const failing = (reason: string): Child => reporting(fresh, 'False', reason);

function having(child: Child, metadata: Partial<Child['metadata']>): Child {
  return { ...child, metadata: { ...child.metadata, ...metadata } };
}

function withCondition(child: Child, type: string): Child {
  const condition = { type, status: 'True' as const, reason: type, message: '', lastTransitionTime: '' };
  return { ...child, status: { ...child.status, conditions: [...(child.status?.conditions ?? []), condition] } };
}

function dryRun(child: Child): Child {
  return having(child, { annotations: { 'gitops.kubesphere.io/dry-run': 'true' } });
}

describe('the state of a destination', () => {
  it.each<[string, string, Facts]>([
    ['a child on its way out', 'Deleting', facts(having(ready, { deletionTimestamp: 'x' }))],
    ['a suspended child, however it fares', 'Suspended', facts({ ...ready, spec: { ...ready.spec, suspend: true } })],
    ['a child in a dry run of its own', 'Suspended', facts(withCondition(dryRun(ready), 'DryRun'))],
    ['a child whose engine knows no dry run', 'Ready', facts(dryRun(ready))],
    ['a silent member', 'Unreachable', facts(failing('ClusterUnreachable'))],
    ['a rejected entry whose child is well', 'Stalled', facts(ready, { rejected: true })],
    ['a stalled child', 'Stalled', facts(withCondition(failing('RetriesExceeded'), 'Stalled'))],
    ['a failed release', 'Failed', facts(failing('InstallFailed'))],
    ['a child that could not be written', 'Failed', facts(ready, { writeFailed: true })],
    ['a drifted release', 'Drifted', facts(withCondition(ready, 'Drifted'))],
    ['a running action', 'Progressing', facts(reporting(fresh, 'Unknown', 'Progressing'))],
    ['a report on an older generation', 'Progressing', facts(having(ready, { generation: 2 }))],
    ['a failure of an older generation', 'Progressing', facts(having(failing('InstallFailed'), { generation: 2 }))],
    [
      'files whose source was not fetched yet',
      'Pending',
      facts({ ...failing('ArtifactFailed'), kind: 'Kustomization' }),
    ],
    [
      'files whose source cannot be had any more',
      'Failed',
      facts({
        ...reporting({ ...fresh, status: { lastAttemptedRevision: 'main@sha1:1' } }, 'False', 'ArtifactFailed'),
        kind: 'Kustomization',
      }),
    ],
    ['a chart that cannot be loaded', 'Failed', facts(failing('ArtifactFailed'))],
    ['no child yet', 'Pending', facts(undefined)],
    ['a child without a report', 'Pending', facts(fresh)],
    ['a child that waits for another', 'Pending', facts(failing('DependencyNotReady'))],
    ['a child whose chart does not exist', 'Failed', facts(failing('SourceNotReady'), { chartFailed: true })],
    [
      'a child whose inline source cannot be fetched',
      'Failed',
      facts(failing('SourceNotReady'), { sourceFailed: true }),
    ],
    ['a child that is well, but waits to become another one', 'Pending', facts(ready, { isHeld: true })],
    ['a child that is well', 'Ready', facts(ready)],
  ])('of %s is %s', (_, state, given) => {
    expect(stateOf(given)).toBe(state);
  });
});

describe('a chart', () => {
  it.each<[string, boolean, Child | undefined]>([
    ['that is not known', false, undefined],
    ['without a report', false, fresh],
    ['of a version that does not exist', true, failing('InvalidChartReference')],
    ['whose source has nothing yet', false, failing('NoSourceArtifact')],
    ['whose source does not exist', false, failing('SourceUnavailable')],
    ['that was fetched', false, reporting(fresh, 'True', 'ChartPullSucceeded')],
  ])('%s: failed %p', (_, failed, chart) => {
    expect(isChartFailed(chart)).toBe(failed);
  });
});
