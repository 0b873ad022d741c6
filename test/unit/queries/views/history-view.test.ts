import { describe, expect, it } from '@jest/globals';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { historyView, type KeptView, type Place } from '#queries/views/history-view.js';
import type { HistoryView } from '#queries/answers/revisions.js';
import { application, deploy, SOURCE } from '../../application/model/builders.js';

const createdAt = '2026-01-01T00:00:00Z';

function kept(revision: number, version = `1.${revision}.0`, cause = ''): KeptView {
  const spec = { source: SOURCE, config: { helmRelease: { chart: { chart: 'web', version }, deploy: [] } } };
  return { revision, id: `${revision}-00c0ffee`, createdAt, cause, content: { spec, templates: {} } };
}

interface Story {
  readonly status?: ApplicationStatus;
  readonly annotations?: Record<string, string>;
  readonly kept?: readonly KeptView[];
  readonly places?: readonly Place[];
}

function viewOf({ status = {}, annotations = {}, ...story }: Story): HistoryView {
  const app = application([deploy('prod')]);
  const metadata = { ...app.metadata, annotations };
  const input = { kept: story.kept ?? [kept(1), kept(3), kept(2)], places: story.places ?? [] };
  return historyView({ application: { ...app, metadata, status }, ...input });
}

function states(story: Story): Record<number, readonly string[]> {
  return Object.fromEntries(viewOf(story).revisions.map((row) => [row.revision, row.states]));
}

const counts = { total: 1, ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 1, left: 0 };
const stage = { name: 'rest', phase: 'Progressing' as const, ...counts };

function rollout(revision: number, more: object = {}): ApplicationStatus {
  const started = { revision, phase: 'Progressing' as const, startedAt: createdAt, stages: [stage] };
  return { history: { revision: 3 }, rollout: { ...started, ...more } };
}

describe('the history of an Application', () => {
  it('has the newest revision first, each with what it changed and why', () => {
    const { revisions } = viewOf({ kept: [kept(1), kept(2, '1.2.0', 'CVE-1'), kept(3, '1.2.0')] });
    expect(revisions.map(({ revision, cause, changes }) => [revision, cause, changes])).toEqual([
      [3, '', []],
      [2, 'CVE-1', ['chart version 1.1.0 -> 1.2.0']],
      [1, '', []],
    ]);
  });

  it('says which clusters have which revision', () => {
    const places = [
      { cluster: 'us', revision: 2 },
      { cluster: 'eu', revision: 2 },
      { cluster: 'eu', revision: 2 },
      { cluster: 'ap', revision: 3 },
      { cluster: 'old', revision: undefined },
    ];
    const view = viewOf({ places });
    expect(view.revisions.map(({ revision, clusters }) => [revision, clusters])).toEqual([
      [3, ['ap']],
      [2, ['eu', 'us']],
      [1, []],
    ]);
    expect(view.unknown).toEqual(['old']);
  });

  it('shows a revision that a cluster has, although somebody deleted it', () => {
    expect(viewOf({ kept: [kept(3)], places: [{ cluster: 'eu', revision: 1 }] }).revisions).toMatchObject([
      { revision: 3, states: [] },
      { revision: 1, states: ['NotKept'], clusters: ['eu'], createdAt: '' },
    ]);
  });

  it.each<[string, Story, Record<number, readonly string[]>]>([
    ['nothing before the first status', {}, { 1: [], 2: [], 3: [] }],
    ['the one of the spec', { status: { history: { revision: 3 } } }, { 1: [], 2: [], 3: ['Current'] }],
    ['a rollout', { status: rollout(3, { lastGood: 2 }) }, { 1: [], 2: ['LastGood'], 3: ['Current', 'RollingOut'] }],
    [
      'a complete one',
      { status: rollout(3, { lastGood: 3, completedAt: createdAt }) },
      { 1: [], 2: [], 3: ['Current', 'RolledOut'] },
    ],
    [
      'one that is halted',
      { status: rollout(3, { lastGood: 2, phase: 'Halted' }) },
      { 1: [], 2: ['LastGood'], 3: ['Current', 'Halted'] },
    ],
    ['one that is paused', { status: rollout(3, { phase: 'Paused' }) }, { 1: [], 2: [], 3: ['Current', 'Paused'] }],
    [
      'one that waits for an approval',
      { status: rollout(3, { phase: 'AwaitingApproval' }) },
      { 1: [], 2: [], 3: ['Current', 'RollingOut'] },
    ],
    [
      'one that went back',
      { status: rollout(3, { lastGood: 1, rolledBack: { why: 'x' } }) },
      { 1: ['LastGood'], 2: [], 3: ['Current', 'RolledBack'] },
    ],
    [
      'a pin',
      { annotations: { 'gitops.kubesphere.io/pin-revision': '2' }, status: { history: { revision: 3 } } },
      { 1: [], 2: ['Pinned'], 3: ['Current'] },
    ],
    [
      'no rollout while all is pinned, but what is good',
      { status: rollout(3, { lastGood: 2, stages: [], phase: 'Paused' }) },
      { 1: [], 2: ['LastGood'], 3: ['Current'] },
    ],
    [
      'pins of clusters, and none for junk',
      { annotations: { 'gitops.kubesphere.io/pin-cluster-revisions': 'eu=1, us = 2,junk,ap=x' } },
      { 1: ['Pinned'], 2: ['Pinned'], 3: [] },
    ],
  ])('says of each revision: %s', (_, story, expected) => {
    expect(states(story)).toEqual(expected);
  });

  it.each<[string, object, string | undefined]>([
    ['the first of those', { phase: 'Halted', stages: [stage, { ...stage, name: 'eu', phase: 'Halted' }] }, 'eu'],
    ['no stage that says so', { phase: 'Halted', stages: [stage] }, undefined],
    ['a stage whose rollout goes on', { phase: 'Paused', stages: [{ ...stage, phase: 'Halted' }] }, undefined],
  ])('names the stage at which the newest is halted: %s', (_, more, haltedAt) => {
    const [newest, ...others] = viewOf({ status: rollout(3, more) }).revisions;
    expect(newest?.haltedAt).toBe(haltedAt);
    for (const other of others) expect(other).not.toHaveProperty('haltedAt');
  });
});
