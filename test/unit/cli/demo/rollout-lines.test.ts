import { describe, expect, it } from '@jest/globals';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { isRolledOut, rolloutLines, twoStages } from '#cli/local/rollout.js';
import { application } from '../../application/model/builders.js';

const CHANGE = { version: '1.5.0', canary: 'stage' };

type State = NonNullable<ApplicationStatus['destinations']>[number]['state'];

function app(rows: readonly (readonly [string, string, State])[], more: Partial<ApplicationStatus> = {}): Application {
  const destinations = rows.map(([cluster, revision, state]) => ({ name: cluster, cluster, revision, state }));
  return { ...application([]), status: { destinations, ...more } };
}

const rollout = (phase: 'Complete' | 'Progressing') => ({
  observedGeneration: 1,
  rollout: { revision: 2, phase, startedAt: '2026-01-01T00:00:00Z', stages: [] },
});

describe('the rollout of the demo', () => {
  it('has two stages', () => {
    expect(twoStages(CHANGE)).toEqual({ stages: [{ name: 'canary', clusters: { names: ['stage'] } }] });
  });

  it('says where the version runs, by stage', () => {
    const rows = [
      ['prod', '1.5.0', 'Ready'],
      ['host', '1.4.0', 'Ready'],
      ['third', '1.5.0', 'Progressing'],
      ['stage', '1.5.0', 'Ready'],
    ] as const;
    expect(rolloutLines(app(rows), CHANGE)).toEqual(['canary   stage   1.5.0', 'rest     prod    1.5.0']);
    expect(rolloutLines(application([]), CHANGE)).toEqual([]);
  });

  it.each<[string, Application, boolean]>([
    ['it is complete, and every cluster has it', app([['stage', '1.5.0', 'Ready']], rollout('Complete')), true],
    ['a stage goes on', app([['stage', '1.5.0', 'Ready']], rollout('Progressing')), false],
    ['that was the one before', app([['stage', '1.4.0', 'Ready']], rollout('Complete')), false],
    [
      'the spec was not seen yet',
      app([['stage', '1.5.0', 'Ready']], { ...rollout('Complete'), observedGeneration: 0 }),
      false,
    ],
  ])('is over or not: %s', (_, given, expected) => {
    expect(isRolledOut(given, CHANGE)).toBe(expected);
  });
});
