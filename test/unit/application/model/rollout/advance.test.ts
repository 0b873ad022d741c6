import { describe, expect, it } from '@jest/globals';
import type { Target, TargetState } from '#controllers/application/model/rollout/types.js';
import { begun, movesOf, record, rollout, stage, startedIn, target, targets } from './builders.js';

describe('a rollout', () => {
  const canary = targets('canary', ['outdated']);
  const rest = targets('prod', ['outdated', 'outdated'], { stage: 1 });
  const spec = { stages: [stage('canary')] };

  it('starts at its first stage', () => {
    const result = rollout({ spec, targets: [...canary, ...rest] });
    expect(movesOf(result)).toEqual({ 'canary-1': 'target', 'prod-1': 'Stage', 'prod-2': 'Stage' });
    expect(result.record.stages).toEqual([{ name: 'canary', startedAt: '2026-01-01T12:00:00Z', unasked: true }]);
    expect(result).toMatchObject({ phase: 'Progressing', why: 'stage "canary": 0 of 1 destinations are ready' });
  });

  it('goes on once all of a stage is Ready', () => {
    const all = [target('canary-1', 'ready'), ...rest];
    const result = rollout({ spec, targets: all, record: record({ stages: [begun('canary')] }) });
    expect(startedIn(result, all)).toEqual(['prod-1', 'prod-2']);
  });

  it('is complete at the end', () => {
    const all = [target('canary-1', 'ready'), ...targets('prod', ['ready', 'ready'], { stage: 1 })];
    const result = rollout({ spec, targets: all, record: record({ stages: [begun('canary'), begun('rest')] }) });
    expect(result).toMatchObject({ phase: 'Complete', record: { lastGood: 2, completedAt: '2026-01-01T12:00:00Z' } });
  });

  it('stops where more fail than the budget allows', () => {
    const all = [target('canary-1', 'failed'), ...rest];
    const result = rollout({ spec, targets: all, record: record({ stages: [begun('canary')] }) });
    expect(movesOf(result)).toEqual({ 'canary-1': 'target', 'prod-1': 'Failures', 'prod-2': 'Failures' });
    expect(result.phase).toBe('Halted');
  });

  it('goes back, after that is written', () => {
    const all = [target('canary-1', 'failed'), ...rest];
    const given = { spec: { ...spec, onFailure: 'Rollback' as const }, targets: all };
    const first = rollout({ ...given, record: record({ stages: [begun('canary')] }) });
    expect(movesOf(first)).toEqual({ 'canary-1': 'RolledBack', 'prod-1': 'RolledBack', 'prod-2': 'RolledBack' });
    expect(first).toMatchObject({ retryAfterMs: 100, record: { rolledBack: { stage: 'canary', to: 1 } } });
    // A dry run writes none of it, so there is nothing to come back for.
    const dry = rollout({ ...given, record: record({ stages: [begun('canary')] }), isDryRun: true });
    expect(dry).toMatchObject({ retryAfterMs: undefined, phase: first.phase, record: first.record });
    expect(movesOf(dry)).toMatchObject({ 'canary-1': 'previous', 'prod-1': 'RolledBack' });
    const second = rollout({ ...given, record: first.record });
    expect(movesOf(second)).toMatchObject({ 'canary-1': 'previous', 'prod-1': 'RolledBack' });
    expect(second).toMatchObject({ phase: 'RollingBack', record: first.record });
  });
});

describe('what hurts users of other systems does not happen:', () => {
  const two = { stages: [stage('canary'), stage('prod')] };
  const prod = (states: TargetState[], more: Partial<Target> = {}): Target[] =>
    targets('prod', states, { stage: 1, ...more });

  it('an offline cluster neither blocks its stage nor eats its budget (rancher/fleet#594)', () => {
    const spec = { stages: [stage('canary', { maxConcurrent: 1, maxUnavailable: 1 }), stage('prod')] };
    const all = [target('off', 'updating', { isReachable: false }), target('on', 'outdated'), ...prod(['outdated'])];
    expect(startedIn(rollout({ spec, targets: all }), all)).toEqual(['on']);
    const later = [all[0]!, target('on', 'ready'), ...prod(['outdated'])];
    expect(startedIn(rollout({ spec, targets: later }), later)).toEqual(['prod-1']);
  });

  it('an offline cluster that comes back is updated by the budget of its own stage', () => {
    const all = [target('back', 'outdated'), ...prod(['updating', 'outdated'])];
    const given = record({ stages: [begun('canary'), begun('prod')] });
    const spec = { stages: [stage('canary'), stage('prod', { maxConcurrent: 1 })] };
    expect(startedIn(rollout({ spec, targets: all, record: given }), all)).toEqual(['back']);
  });

  it('a new cluster does not wait for other stages, nor they for it', () => {
    const all = [target('new', 'absent'), ...prod(['updating', 'outdated'])];
    const given = record({ stages: [begun('canary'), begun('prod')] });
    expect(startedIn(rollout({ spec: two, targets: all, record: given }), all)).toEqual(['new', 'prod-2']);
  });

  it('a rollout that waits always says for what, and who can end it (rancher/fleet#4144)', () => {
    const spec = { stages: [stage('canary', { maxConcurrent: '0%' }), stage('prod')] };
    const all = [target('canary', 'outdated'), ...prod(['outdated'])];
    const result = rollout({ spec, targets: all });
    expect([...result.moves.values()]).toEqual([
      { hold: 'maxConcurrent allows 0 at a time', cause: 'Budget' },
      { hold: 'waits for stage "canary"', cause: 'Stage' },
    ]);
  });

  it('50 clusters are not the most that ever start at once, nor the least (maxNew)', () => {
    const many = targets(
      'rest',
      Array.from({ length: 500 }, () => 'absent'),
    );
    expect(startedIn(rollout({ targets: many }), many)).toHaveLength(500);
    const few = rollout({ spec: { stages: [{ name: 'rest', maxConcurrent: 3 }] }, targets: many });
    expect(startedIn(few, many)).toHaveLength(3);
  });

  it('a network that is lost is not a fleet that is settled', () => {
    const all = [target('canary', 'outdated', { isReachable: false }), ...prod(['outdated'], { isReachable: false })];
    const result = rollout({ spec: two, targets: all, record: record({ stages: [begun('canary')] }) });
    expect(result.record.stages.map(({ name }) => name)).toEqual(['canary']);
    expect(result.record.completedAt).toBeUndefined();
  });

  it('clusters that may be missing let no stage begin', () => {
    const all = [target('canary', 'ready'), ...prod(['outdated'])];
    const given = record({ stages: [begun('canary')] });
    const result = rollout({ spec: two, targets: all, record: given, incomplete: 'CRD of Rancher' });
    expect(movesOf(result)).toEqual({ canary: 'target', 'prod-1': 'Stage' });
    expect(result.moves.get('prod-1')).toMatchObject({ hold: 'CRD of Rancher' });
    expect(rollout({ targets: [target('a', 'ready')], record: undefined, incomplete: 'x' }).phase).not.toBe('Complete');
  });

  it('a revision that was completed is not rolled back when something fails later', () => {
    const spec = { ...two, onFailure: 'Rollback' as const };
    const done = record({
      stages: [begun('canary'), begun('prod'), begun('rest')],
      completedAt: '2026-01-01T11:30:00Z',
      lastGood: 2,
    });
    const all = [target('canary', 'failed'), ...prod(['ready', 'absent'])];
    const result = rollout({ spec, targets: all, record: done, previous: undefined });
    expect(result.record).toMatchObject(done);
    expect(result.record.rolledBack).toBeUndefined();
    expect(startedIn(result, all)).toEqual(['prod-2']);
    const same = [target('canary', 'failed'), target('canary-2', 'absent')];
    expect(startedIn(rollout({ spec, targets: same, record: done }), same)).toEqual([]);
  });

  it('a revision that changes nothing is complete at once, and waits for nobody', () => {
    const spec = { stages: [stage('canary', { bakeTime: '1h' }), stage('prod', { approval: true })] };
    const all = [target('canary', 'ready'), ...prod(['ready', 'left'])];
    const result = rollout({ spec, targets: all, record: record({ revision: 1 }) });
    expect(result).toMatchObject({ phase: 'Complete', record: { lastGood: 2 }, retryAfterMs: undefined });
  });

  it('destinations that all take no part hold nobody up, and begin at the first stage when they come back', () => {
    const left = [target('canary', 'left'), ...prod(['left'])];
    const result = rollout({ spec: two, targets: left });
    expect(result).toMatchObject({ phase: 'Pending', record: { lastGood: 1, stages: [] } });
    const once = [target('canary', 'left', { isOnce: true }), ...targets('prod', ['left'], { isOnce: true, stage: 1 })];
    expect(rollout({ spec: two, targets: once })).toMatchObject({ phase: 'Complete' });
    expect(result.record.completedAt).toBeUndefined();
    const back = [target('canary', 'outdated'), ...prod(['outdated'])];
    expect(startedIn(rollout({ spec: two, targets: back, record: result.record }), back)).toEqual(['canary']);
    const lost = [target('canary', 'left'), ...prod(['outdated'], { isReachable: false })];
    expect(rollout({ spec: two, targets: lost }).phase).toBe('Pending');
  });

  it('an Application without destinations is not complete', () => {
    expect(rollout({ spec: two, record: undefined }).record).toMatchObject({ revision: 2, stages: [] });
    expect(rollout({ spec: two, record: undefined }).phase).toBe('Pending');
  });
});

describe('a rollback', () => {
  const spec = { stages: [stage('canary')], onFailure: 'Rollback' as const };
  const rolledBack = { stage: 'canary', to: 1, why: 'it failed' };
  const given = record({ stages: [begun('canary')], rolledBack });

  it('holds until another revision', () => {
    const all = targets('canary', ['outdated', 'absent']);
    expect(movesOf(rollout({ spec, targets: all, record: given }))).toEqual({
      'canary-1': 'previous',
      'canary-2': 'RolledBack',
    });
    const next = rollout({ spec, targets: all, record: given, revision: 3 });
    expect(startedIn(next, all)).toEqual(['canary-1', 'canary-2']);
  });

  it('holds until it is retried', () => {
    const all = targets('canary', ['outdated']);
    const result = rollout({ spec, targets: all, record: given, requests: { retry: '2' } });
    expect(startedIn(result, all)).toEqual(['canary-1']);
    expect(result.record).toMatchObject({ retried: '2' });
    expect(result.record.rolledBack).toBeUndefined();
  });

  it('does not wait for windows, but for a pause', () => {
    const all = [target('a', 'failed')];
    expect(movesOf(rollout({ spec, targets: all, record: given, windowAt: () => ({ open: false }) }))).toEqual({
      a: 'previous',
    });
    expect(movesOf(rollout({ spec: { ...spec, paused: true }, targets: all, record: given }))).toEqual({ a: 'Paused' });
  });

  it('without an earlier revision, or with one that is not kept any more, only holds', () => {
    const all = [target('a', 'failed', { hasPrevious: false })];
    const first = rollout({
      spec,
      targets: all,
      record: record(),
      previous: undefined,
    });
    expect(first.record.rolledBack).toEqual({ stage: 'canary', why: expect.stringContaining('1 of 1') });
    expect(rollout({ spec, targets: all, record: first.record, previous: undefined })).toMatchObject({
      phase: 'RolledBack',
    });
    const gone = rollout({ spec, targets: [target('a', 'failed')], record: given, previous: undefined });
    expect(movesOf(gone)).toEqual({ a: 'RolledBack' });
  });

  it('sends all stages back if it was aborted, each within its budgets', () => {
    const prod = targets('prod', ['ready', 'updating', 'outdated'], { stage: 1 });
    const all = [target('canary', 'ready'), ...prod];
    const stages = [stage('canary'), stage('prod', { maxConcurrent: 1 })];
    const requests = { abort: '2' };
    const first = rollout({
      spec: { stages },
      targets: all,
      record: record({ stages: [begun('canary'), begun('prod')] }),
      requests,
    });
    expect(first.record).toMatchObject({ rolledBack: { to: 1, why: 'it was aborted' }, aborted: '2' });
    const second = rollout({ spec: { stages }, targets: all, record: first.record, requests });
    expect(movesOf(second)).toEqual({
      canary: 'previous',
      'prod-1': 'Budget',
      'prod-2': 'previous',
      'prod-3': 'previous',
    });
    expect(second).toMatchObject({ phase: 'RollingBack', why: 'it was aborted', warnings: [], record: first.record });
    const paused = rollout({
      spec: { stages },
      targets: all,
      record: first.record,
      requests: { ...requests, paused: 'true' },
    });
    expect(paused.why).toBe('it was aborted; the annotation gitops.kubesphere.io/pause-rollout is set');
    expect(movesOf(paused)).toMatchObject({ canary: 'Paused' });
  });

  it('that is retried begins at the first stage', () => {
    const stages = [stage('canary'), stage('prod')];
    const aborted = record({ stages: [begun('canary'), begun('prod')], rolledBack: { to: 1, why: 'it was aborted' } });
    const all = [...targets('canary', ['outdated']), ...targets('prod', ['outdated'], { stage: 1 })];
    const result = rollout({ spec: { stages }, targets: all, record: aborted, requests: { retry: '2' } });
    expect(startedIn(result, all)).toEqual(['canary-1']);
  });

  it('sends all stages back if its own was renamed since', () => {
    const all = [target('a', 'failed'), target('b', 'ready', { stage: 1 })];
    const renamed = { stages: [stage('first')], onFailure: 'Rollback' as const };
    const result = rollout({ spec: renamed, targets: all, record: given });
    expect(movesOf(result)).toEqual({ a: 'previous', b: 'previous' });
    expect(result.phase).toBe('RollingBack');
  });

  it('is not decided while the rollout is paused', () => {
    const all = [target('a', 'failed')];
    const result = rollout({
      spec: { ...spec, paused: true },
      targets: all,
      record: record({ stages: [begun('canary')] }),
    });
    expect(result.record.rolledBack).toBeUndefined();
  });
});

describe('a window', () => {
  const all = [target('a', 'outdated'), target('b', 'ready')];
  const windowAt = () => ({ open: false, nextMs: 5_000 });

  it('holds what starts, and says when to continue', () => {
    const result = rollout({ targets: all, windowAt });
    expect(movesOf(result)).toEqual({ a: 'Window', b: 'target' });
    expect(result.retryAfterMs).toBe(5_000);
  });

  it('is not waited for by a revision that ignores it', () => {
    expect(startedIn(rollout({ targets: all, windowAt, requests: { ignoreWindows: '2' } }), all)).toEqual(['a']);
    expect(startedIn(rollout({ targets: all, windowAt, requests: { ignoreWindows: '1' } }), all)).toEqual([]);
  });

  it('of a stage with nothing to start wakes nobody', () => {
    expect(
      rollout({ targets: [target('b', 'ready')], windowAt, record: record({ stages: [begun('rest')] }) }).retryAfterMs,
    ).toBeUndefined();
  });
});

it('a target of a stage that does not exist is in the last one', () => {
  const all = [target('a', 'outdated', { stage: 99 }), target('b', 'outdated', { stage: -1 })];
  expect(rollout({ targets: all }).stages).toMatchObject([{ name: 'rest', total: 2 }]);
});
