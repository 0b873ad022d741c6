import { describe, expect, test } from '@jest/globals';
import { sortedViews, viewOf } from '#controllers/read-model/application-view.js';
import { application, RUNNING, STALLED } from '#test/support/application.js';

describe('the state of an Application', () => {
  test.each<[string, string, string, string]>([
    ['nobody has looked at it', '{}', '{}', 'Pending'],
    ['it is being deleted', RUNNING, '{ deletionTimestamp: "2026-01-01T00:00:00Z" }', 'Deleting'],
    ['it is stalled', STALLED, '{}', 'Stalled'],
    ['it is on its way', RUNNING, '{}', 'Progressing'],
    ['it runs', '{ conditions: [{ type: Ready, status: "True" }] }', '{}', 'Ready'],
    ['it failed', '{ conditions: [{ type: Ready, status: "False" }] }', '{}', 'Failed'],
  ])('when %s', (_, status, metadata, state) => {
    expect(viewOf(application('web', status, metadata)).state).toBe(state);
  });
});

describe('sortedViews', () => {
  test('does not depend on the order in which the Applications come', () => {
    const all = [application('b'), application('a'), application('c')];
    expect(sortedViews(all)).toEqual(sortedViews(all.toReversed()));
  });
});
