import { describe, expect, it } from '@jest/globals';
import { unknownClusters } from '#controllers/application/model/child/messages.js';

describe('clusters in an annotation', () => {
  it.each<[string, string[], string[], string | undefined]>([
    ['are those of destinations', ['eu'], ['us', 'eu'], undefined],
    ['may be none', [], [], undefined],
    [
      'that no destination is on are named, with those that there are',
      ['eu', 'ue', 'a"b'],
      ['us', 'eu', 'us'],
      'annotation x: no destination is on "ue", "a\\"b" (they are on eu, us); correct the name, or remove it',
    ],
    [
      'may be all that is left',
      ['eu'],
      [],
      'annotation x: no destination is on "eu" (none is left); correct the name, or remove it',
    ],
  ])('%s', (_, names, clusters, warning) => {
    expect(unknownClusters('x', names, clusters)).toBe(warning);
  });

  it('are too many to be listed', () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
    expect(unknownClusters('x', names, [])).toContain('"c9" and 2 more (none');
  });
});
