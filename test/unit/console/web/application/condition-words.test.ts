import { describe, expect, test } from '@jest/globals';
import { conditionWords } from '#console/web/application/model/status-words.js';
import type { Condition } from '#api/meta.js';

function condition(type: string, status: Condition['status'], reason = ''): Condition {
  return { type, status, reason, message: 'why', lastTransitionTime: '2026-01-01T00:00:00Z' };
}

describe('conditionWords', () => {
  test.each<[string, Condition['status'], string]>([
    ['Ready', 'True', 'good'],
    ['Ready', 'False', 'bad'],
    ['Ready', 'Unknown', 'moving'],
    ['Reconciling', 'True', 'moving'],
    ['Stalled', 'True', 'bad'],
    ['Stalled', 'False', 'idle'],
    ['RemovalsHeld', 'True', 'bad'],
    ['Invented', 'True', 'idle'],
    ['constructor', 'False', 'idle'],
  ])('%s=%s is %s', (type, status, meaning) => {
    expect(conditionWords([condition(type, status)])[0]?.meaning).toBe(meaning);
  });

  test.each([
    ['AllReady', 'Every destination runs what the Application specifies.'],
    ['RolledOut', 'Every destination has the revision.'],
    ['Invented', ''],
    ['toString', ''],
  ])('the reason %s is a sentence', (reason, sentence) => {
    expect(conditionWords([condition('Ready', 'True', reason)])[0]?.sentence).toBe(sentence);
  });

  test('what is said already is not said again', () => {
    const of = (said: string): string | undefined => conditionWords([condition('Ready', 'False')], said)[0]?.message;
    expect([of('why'), of('something else'), of('')]).toEqual(['', 'why', 'why']);
  });

  test('what is bad comes first', () => {
    const words = conditionWords([
      condition('Ready', 'True'),
      condition('Pinned', 'True'),
      condition('Stalled', 'True'),
    ]);
    expect(words.map(({ type }) => type)).toEqual(['Stalled', 'Pinned', 'Ready']);
  });
});
