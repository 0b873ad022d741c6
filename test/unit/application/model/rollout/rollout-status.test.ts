import { describe, expect, it } from '@jest/globals';
import { recordIn, rolloutFields } from '#controllers/application/model/rollout/status.js';
import type { Rollout, RolloutPhase } from '#controllers/application/model/rollout/types.js';
import { application } from '../builders.js';

const AT = '2026-01-01T00:00:00Z';
const APP = application([]);
const STAGED = { ...APP, spec: { ...APP.spec, rollout: {} } };
const NUMBERS = {
  total: 2,
  ready: 1,
  updating: 0,
  failed: 0,
  unreachable: 0,
  waiting: 1,
  left: 0,
  updated: 1,
  failures: 0,
};

function rollout(phase: RolloutPhase, why = 'because'): Rollout {
  return {
    moves: new Map(),
    record: { revision: 4, startedAt: AT, stages: [{ name: 'one', startedAt: AT }], lastGood: 3, retried: '4' },
    stages: [
      { name: 'one', ...NUMBERS, phase: 'Complete', why: 'done' },
      { name: 'rest', ...NUMBERS, phase, why },
    ],
    stageOf: new Map(),
    phase,
    why,
    warnings: [],
    retryAfterMs: undefined,
  };
}

describe('the status of a rollout', () => {
  it('holds all that is to be remembered', () => {
    const made = rollout('Progressing');
    expect(recordIn(rolloutFields(STAGED, made).rollout)).toEqual(made.record);
    expect(recordIn(undefined)).toBeUndefined();
  });

  it.each<[RolloutPhase, string, string]>([
    ['Complete', 'True', 'RolledOut'],
    ['Progressing', 'False', 'RolloutProgressing'],
    ['Baking', 'False', 'RolloutProgressing'],
    ['Paused', 'False', 'RolloutPaused'],
    ['Halted', 'False', 'RolloutHalted'],
    ['RollingBack', 'False', 'RolledBack'],
    ['RolledBack', 'False', 'RolledBack'],
    ['AwaitingApproval', 'False', 'RolloutAwaitingApproval'],
  ])('%s is RolledOut=%s, %s', (phase, status, reason) => {
    expect(rolloutFields(STAGED, rollout(phase)).rolledOut).toMatchObject({ status, reason });
  });

  it('names the command that approves a stage, at its end', () => {
    const { rolledOut } = rolloutFields(STAGED, rollout('AwaitingApproval'));
    expect(rolledOut?.message).toMatch(
      /kubectl annotate --overwrite gapp web -n shop gitops.kubesphere.io\/approve-stage=rest@4$/,
    );
  });

  it('stays bounded', () => {
    const { rollout: status, rolledOut } = rolloutFields(STAGED, rollout('Halted', 'x'.repeat(10_000)));
    expect(JSON.stringify(status).length).toBeLessThan(1_500);
    expect(rolledOut?.message.length).toBeLessThan(500);
  });

  it('begins again after a pin of all destinations, and goes with the field', () => {
    const before = rolloutFields(STAGED, rollout('Baking')).rollout;
    const pinned = { ...STAGED, status: { rollout: before! } };
    expect(rolloutFields(pinned, undefined).rollout).toMatchObject({
      revision: 4,
      lastGood: 3,
      stages: [],
      phase: 'Paused',
    });
    expect(rolloutFields({ ...pinned, spec: APP.spec }, undefined)).toEqual({});
  });
});
