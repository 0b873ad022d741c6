import { describe, expect, test } from '@jest/globals';
import { replacementProblem } from '#controllers/cluster/model/replaced-cluster.js';

describe('a kubeconfig for a cluster is renewed', () => {
  const cases: readonly (readonly [string, string | undefined, string | undefined, RegExp | undefined])[] = [
    ['for the same cluster', 'one', 'one', undefined],
    ['if nobody knows which cluster it was made for', undefined, 'one', undefined],
    ['if nobody knows any UID', undefined, undefined, undefined],
    [
      'not for another cluster',
      'one',
      'two',
      /leads to another cluster: .* was one and is two; .* remove the annotation/,
    ],
    ['not if the cluster no longer says who it is', 'one', undefined, /may not read the UID .* remove the annotation/],
  ];

  test.each(cases)('%s', (_title, made, now, expected) => {
    const problem = replacementProblem(made, now);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(expected);
  });
});
