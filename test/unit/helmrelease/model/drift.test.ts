import { describe, expect, test } from '@jest/globals';
import {
  correctionMessage,
  drifted,
  driftLines,
  driftMessage,
  looksForDrift,
  notDrifted,
  optsOut,
  withDrift,
  type DriftedObject,
} from '#controllers/helmrelease/model/drift.js';
import type { StatusContext } from '#controllers/helmrelease/model/status.js';
import { snapshot } from './builders.js';

const KEY = 'helm.toolkit.fluxcd.io/driftDetection';
const GONE: DriftedObject = { subject: 'ConfigMap/shop/a' };
const CHANGED: DriftedObject = { subject: 'Service/shop/b', count: { additions: 0, changes: 1, removals: 2 } };
const context: StatusContext = { generation: 3, now: '2026-01-01T00:00:00Z', testsEnabled: false, testsCount: false };
const enabled = { interval: '10m', driftDetection: { mode: 'enabled' as const } };

test.each([
  ['enabled', true],
  ['warn', true],
  ['disabled', false],
  [undefined, false],
] as const)('mode %s looks for drift: %p', (mode, expected) => {
  const driftDetection = mode === undefined ? {} : { mode };
  expect(looksForDrift({ interval: '10m', driftDetection })).toBe(expected);
});

test.each([
  ['an annotation', { annotations: { [KEY]: 'disabled' } }, true],
  ['a label', { labels: { [KEY]: 'disabled' } }, true],
  ['another value', { annotations: { [KEY]: 'enabled' } }, false],
  ['nothing', {}, false],
])('%s opts out', (_name, metadata, expected) => {
  expect(optsOut({ labels: undefined, annotations: undefined, ...metadata })).toBe(expected);
});

describe('state', () => {
  test.each([
    ['InSync and nothing drifted', 'InSync', [], 'InSync'],
    ['InSync and something drifted', 'InSync', [GONE, CHANGED], 'Drifted'],
    ['OutOfSync wins', 'OutOfSync', [GONE], 'OutOfSync'],
    ['Untested wins', 'Untested', [GONE], 'Untested'],
  ] as const)('%s', (_name, state, objects, expected) => {
    expect(withDrift({ state, why: 'because' }, objects).state).toBe(expected);
  });

  test('says how much', () => {
    expect(withDrift({ state: 'InSync', why: '' }, [GONE, CHANGED]).why).toBe('removed: 1, changed: 1');
  });
});

describe('messages', () => {
  test('are those of Flux', () => {
    expect(driftMessage(snapshot({ namespace: 'shop', name: 'web', version: 4 }), [GONE, CHANGED])).toBe(
      'Cluster state of release shop/web.v4 has drifted from the desired state:\n' +
        'ConfigMap/shop/a removed\n' +
        'Service/shop/b changed (0 additions, 1 changes, 2 removals)',
    );
  });

  test('are bounded', () => {
    const lines = driftLines(Array.from({ length: 300 }, () => GONE)).split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([21, 'and 280 more']);
  });

  test.each<[string, string[], string | undefined, string]>([
    [
      'all',
      ['ConfigMap/shop/a created'],
      undefined,
      'Cluster state of release shop/web.v1 has been corrected:\nConfigMap/shop/a created',
    ],
    ['nothing', [], 'no', 'Failed to correct cluster state of release shop/web.v1: no'],
    [
      'a part',
      ['ConfigMap/shop/a created'],
      'no',
      'Failed to partially correct cluster state of release shop/web.v1: no\n\nSuccessful corrections:\nConfigMap/shop/a created',
    ],
  ])('of correcting %s', (_name, done, problem, expected) => {
    expect(correctionMessage(snapshot({ namespace: 'shop', name: 'web' }), { done, problem })).toBe(expected);
  });
});

describe('conditions', () => {
  test('Drifted is True with what differs, then False', () => {
    const told = drifted({}, context, 'much');
    expect(told.conditions).toMatchObject([
      { type: 'Drifted', status: 'True', reason: 'DriftDetected', message: 'much', observedGeneration: 3 },
    ]);
    expect(notDrifted(told, context, enabled).conditions).toMatchObject([
      { type: 'Drifted', status: 'False', reason: 'NoDriftDetected' },
    ]);
  });

  test('Drifted is removed when drift detection is turned off', () => {
    expect(notDrifted(drifted({}, context, 'much'), context, { interval: '10m' }).conditions).toEqual([]);
  });

  test('a second check without drift changes nothing', () => {
    const first = notDrifted({}, context, enabled);
    expect(notDrifted(first, { ...context, now: '2027-01-01T00:00:00Z' }, enabled)).toEqual(first);
  });
});
