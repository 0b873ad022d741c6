import { describe, expect, it } from '@jest/globals';
import type { RolloutStatus } from '#api/v1alpha1/rollout.js';
import {
  unresolvableWarning,
  versionWarnings,
  whyUnresolved,
} from '#controllers/application/model/spec/resolved-versions.js';
import { versionFields } from '#controllers/application/model/status/revisions.js';
import { range, ranged } from './builders.js';

const UNRESOLVED = range('6.x');
const KNOWN = { reference: UNRESOLVED, resolved: '6.7.1', available: undefined, problem: undefined };
const HELD = { ...KNOWN, available: '6.8.0' };
const LOST = { ...KNOWN, problem: 'it is gone' };
const UNKNOWN = { ...LOST, resolved: undefined };
const ROW = { ...UNRESOLVED.source, chart: 'podinfo', version: '6.x', interval: '10m' };
const ROLLED_OUT = { status: 'True', reason: 'RolledOut', message: 'revision 3' } as const;
const ROLLOUT: RolloutStatus = { revision: 3, phase: 'Complete', startedAt: '2026-01-01T00:00:00Z', stages: [] };
const NAME = 'chart podinfo 6.x of HelmRepository shop/charts';

describe('what is said of unresolved references', () => {
  it('is nothing without it', () => {
    expect(versionFields(ranged('6.7.1'), [], { rolledOut: ROLLED_OUT })).toEqual({ rolledOut: ROLLED_OUT });
    expect(whyUnresolved()).toBeUndefined();
  });

  it('is what it means, and what is available', () => {
    const fields = { rolledOut: ROLLED_OUT, rollout: ROLLOUT };
    expect(versionFields(ranged('6.x'), [KNOWN], fields)).toEqual({
      ...fields,
      sources: [{ ...ROW, revision: '6.7.1' }],
    });
    const { sources, rolledOut } = versionFields(ranged('6.x'), [HELD], fields);
    expect(sources).toEqual([{ ...ROW, revision: '6.7.1', available: '6.8.0' }]);
    expect(rolledOut?.message).toBe(`revision 3; 6.8.0 is available (${NAME}), and waits for the end of this rollout`);
  });

  it('is what cannot be held at one meaning', () => {
    const source = { kind: 'Bucket', namespace: 'shop', name: 'files' };
    expect(unresolvableWarning({ source }, 'it is so')).toBe(
      'Bucket shop/files: it is so, so what it means changes on all clusters at once, whatever the stages are',
    );
  });

  it('is not what is still to be fetched', () => {
    const source = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };
    const coming = { ...HELD, reference: { source }, problem: 'it is fetched' };
    const { sources, rolledOut } = versionFields(ranged('6.x'), [coming], { rolledOut: ROLLED_OUT });
    expect(sources).toEqual([{ ...source, revision: '6.7.1', available: '6.8.0', message: 'it is fetched' }]);
    expect(rolledOut?.message).toBe('revision 3');
  });

  it('is why a version stays', () => {
    expect(versionWarnings([KNOWN, LOST, UNKNOWN])).toEqual([`${NAME}: it is gone; 6.7.1 stays`]);
  });

  it('is what a rollout waits for, while the last one is what it was', () => {
    const { sources, rolledOut, rollout } = versionFields(ranged('6.x', { rollout: ROLLOUT }), [KNOWN, UNKNOWN], {});
    expect(rollout).toBe(ROLLOUT);
    expect(sources).toEqual([
      { ...ROW, revision: '6.7.1' },
      { ...ROW, message: 'it is gone' },
    ]);
    expect(rolledOut).toEqual({
      status: 'False',
      reason: 'RolloutAwaitingSource',
      message: `waits for ${NAME}: it is gone; what runs is left unchanged`,
    });
  });
});
