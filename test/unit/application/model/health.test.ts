import { describe, expect, it } from '@jest/globals';
import { DESTINATION_STATES, type DestinationState } from '#api/v1alpha1/states.js';
import { healthOf as healthOfRows, syncOf as syncOfRows } from '#controllers/application/model/status/console.js';
import { groupRows, type Row } from '#controllers/application/model/status/rows.js';
import { deploy, rowsFor, well } from './builders.js';

const [base] = rowsFor([deploy('prod')], well);
const healthOf = (rows: readonly Row[]) => healthOfRows(groupRows(rows));
const syncOf = (rows: readonly Row[]) => syncOfRows(groupRows(rows));
const row = (state: DestinationState, wanted = true): Row => ({ ...base!, state, wanted });

describe('what the console filters Applications by', () => {
  it.each<[DestinationState[], string, string]>([
    [['Ready', 'Ready'], 'Healthy', 'Synced'],
    [['Ready', 'Suspended'], 'Suspended', 'Unknown'],
    [['Unmanaged', 'Unmanaged'], 'Healthy', 'Unknown'],
    [['Ready', 'Unmanaged'], 'Healthy', 'Unknown'],
    [['Unmanaged', 'Failed'], 'Degraded', 'OutOfSync'],
    [['Ready', 'Progressing'], 'Progressing', 'OutOfSync'],
    [['Pending'], 'Progressing', 'OutOfSync'],
    [['Deleting', 'Ready'], 'Progressing', 'OutOfSync'],
    [['Drifted', 'Ready'], 'Healthy', 'OutOfSync'],
    [['Progressing', 'Failed', 'Ready'], 'Degraded', 'OutOfSync'],
    [['Stalled', 'Suspended'], 'Degraded', 'OutOfSync'],
    [['Unreachable', 'Ready'], 'Unknown', 'Unknown'],
    [['Failed', 'Unreachable'], 'Unknown', 'OutOfSync'],
    [[], 'Missing', 'OutOfSync'],
  ])('is for destinations that are %j: %s, %s', (states, health, sync) => {
    for (const order of [states, [...states].reverse()]) {
      const rows = order.map((state) => row(state));
      expect([healthOf(rows), syncOf(rows)]).toEqual([health, sync]);
    }
  });

  it('does not count destinations that no entry wants', () => {
    expect(healthOf([row('Ready'), row('Deleting', false)])).toBe('Healthy');
    expect(syncOf([row('Ready'), row('Deleting', false)])).toBe('Synced');
  });

  it('is that of the remaining children if no entry is left', () => {
    expect(healthOf([row('Ready', false), row('Failed', false)])).toBe('Degraded');
    expect(syncOf([row('Ready', false)])).toBe('OutOfSync');
  });

  it('has a word for every state', () => {
    for (const state of DESTINATION_STATES) expect(healthOf([row(state)])).toMatch(/^[A-Z][a-z]+$/);
  });
});
