import { describe, expect, test } from '@jest/globals';
import { replacementProblem } from '#controllers/cluster/model/credential.js';

interface Case {
  readonly made?: string;
  readonly now?: string;
  readonly accepted?: string;
  readonly problem?: RegExp;
}

describe('a kubeconfig for a cluster is renewed', () => {
  const cases: Record<string, Case> = {
    'for the same cluster': { made: 'one', now: 'one' },
    'if nobody knows which cluster it was made for': { now: 'one' },
    'if nobody knows any UID': {},
    'not for another cluster': {
      made: 'one',
      now: 'two',
      problem: /leads to another cluster: .* was one and is two; .*\/accept-cluster-uid of the cluster to two$/,
    },
    'for another cluster that is accepted': { made: 'one', now: 'two', accepted: 'two' },
    'not for another one than was accepted': { made: 'one', now: 'two', accepted: 'three', problem: /is two/ },
    'not if the cluster no longer says who it is': {
      made: 'one',
      problem: /may not read the UID .* remove the annotation/,
    },
    'not if an accepted cluster no longer says who it is': { made: 'one', accepted: 'two', problem: /may not read/ },
  };

  test.each(Object.entries(cases))('%s', (_title, { made, now, accepted, problem: expected }) => {
    const problem = replacementProblem({ made, now, accepted });
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(expected);
  });
});
