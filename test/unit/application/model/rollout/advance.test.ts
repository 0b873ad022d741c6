import { describe, expect, it } from '@jest/globals';
import { begun, movesOf, record, rollout, stage, startedIn, target, targets } from './builders.js';

describe('a rollout', () => {
  const canary = targets('canary', ['outdated']);
  const rest = targets('prod', ['outdated', 'outdated'], { stage: 1 });
  const spec = { stages: [stage('canary')] };

  it('starts at its first stage', () => {
    const result = rollout({ spec, targets: [...canary, ...rest] });
    expect(movesOf(result)).toEqual({ 'canary-1': 'target', 'prod-1': 'Stage', 'prod-2': 'Stage' });
    expect(result.record.stages).toEqual([{ name: 'canary', startedAt: '2026-01-01T12:00:00Z' }]);
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
    expect(first).toMatchObject({ retryAfterMs: 1, record: { rolledBack: { stage: 'canary', to: 1 } } });
    const second = rollout({ ...given, record: first.record });
    expect(movesOf(second)).toMatchObject({ 'canary-1': 'previous', 'prod-1': 'RolledBack' });
    expect(second).toMatchObject({ phase: 'RollingBack', record: first.record });
  });
});
