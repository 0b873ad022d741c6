import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../../../../api/meta.js';
import { conditionEvents, writeEvents } from '../../../../controllers/application/model/transitions.js';
import type { Outcome } from '../../../../controllers/application/model/types.js';
import { application, applied, deploy, work } from './builders.js';

const one = [deploy('prod')];
const children = applied([], work(application(one)).steps);
const name = `shop/${children[0]!.metadata.name}`;

function outcomes(entries: typeof one, before = children, error?: Error): Outcome[] {
  return work(application(entries), before).steps.map((step) => ({ step, child: undefined, error }));
}

describe('the event of a write', () => {
  it.each<[string, Outcome[], string]>([
    ['creation', outcomes(one, []), `Created HelmRelease ${name}: new destination`],
    [
      'update',
      outcomes([deploy('prod', undefined, { timeout: '1m' })]),
      `Updated HelmRelease ${name}: changed timeout`,
    ],
  ])('tells the %s and its why', (_, given, message) => {
    expect(writeEvents(given).map((event) => event.message)).toEqual([message]);
  });

  it('tells what was deleted', () => {
    const deleted = writeEvents(outcomes([deploy('test')])).filter(({ reason }) => reason === 'Deleted');
    expect(deleted.map(({ message }) => message)).toEqual([`Deleted HelmRelease ${name}: no entry wants it any more`]);
  });

  it('is none for what was kept, and none for what failed', () => {
    expect(writeEvents(outcomes(one))).toEqual([]);
    expect(writeEvents(outcomes(one, [], new Error('forbidden')))).toEqual([]);
  });
});

describe('the event of a condition', () => {
  const ready = (status: Condition['status'], reason: string): Condition[] => [
    { type: 'Ready', status, reason, message: `${reason} it is`, lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];
  it.each<[string, Condition[], Condition[], string | undefined]>([
    ['the first success', [], ready('True', 'AllReady'), 'Normal AllReady'],
    ['a failure', ready('True', 'AllReady'), ready('False', 'DestinationsFailed'), 'Warning DestinationsFailed'],
    ['another failure', ready('False', 'SourceNotFound'), ready('False', 'DeployEmpty'), 'Warning DeployEmpty'],
    ['a deletion that was asked for', ready('True', 'AllReady'), ready('False', 'Deleting'), 'Normal Deleting'],
    ['the same again', ready('True', 'AllReady'), ready('True', 'AllReady'), undefined],
    ['a step on the way', ready('True', 'AllReady'), ready('Unknown', 'DestinationsNotReady'), undefined],
    ['nothing known', ready('True', 'AllReady'), [], undefined],
  ])('of %s is what people need to hear', (_, before, after, expected) => {
    const [event, ...others] = conditionEvents(before, after);
    expect(others).toEqual([]);
    expect(event === undefined ? undefined : `${event.type} ${event.reason}`).toBe(expected);
  });
});
