import { describe, expect, test } from '@jest/globals';
import type { ClusterView } from '#queries/answers/clusters.js';
import { probedViews, type ProbeFinding } from '#cli/inspect/model/clusters-table.js';

function view(name: string): ClusterView {
  return {
    ...{ apiGroup: '', kind: 'Secret', namespace: 'fleet', name, version: 'v1.0.0' },
    ...{ state: 'Unknown', message: 'it reports no condition Ready yet', labels: {}, usedBy: [] },
  };
}

function reached(server: string, uid?: string): ProbeFinding {
  return { reachability: 'Reachable', server, version: 'v1.33.1', uid };
}

function probed(findings: Readonly<Record<string, ProbeFinding>>): unknown[] {
  const byId = new Map(Object.entries(findings).map(([name, finding]) => [`/Secret/fleet/${name}`, finding]));
  return probedViews(['eu', 'us'].map(view), byId).map(({ reachability, version, message }) => [
    reachability,
    version,
    message,
  ]);
}

const QUIET = 'it reports no condition Ready yet';

describe('what is shown of clusters that were probed', () => {
  test('is the version that they answer with', () => {
    const all = probed({ eu: reached('https://eu', 'one'), us: reached('https://us', 'two') });
    expect(all).toEqual(Array.from({ length: 2 }, () => ['Reachable', 'v1.33.1', QUIET]));
  });

  test('is why one does not answer, and that another one was not asked', () => {
    expect(probed({ eu: { reachability: 'Unreachable', message: 'refused' } })).toEqual([
      ['Unreachable', 'v1.0.0', 'refused'],
      ['NotProbed', 'v1.0.0', QUIET],
    ]);
  });

  const twins: readonly (readonly [string, ProbeFinding, ProbeFinding])[] = [
    ['of one UID at two addresses', reached('https://a', 'one'), reached('https://b', 'one')],
    ['at one address without a UID', reached('https://a'), reached('https://a')],
  ];

  test.each(twins)('is that they are the same one %s', (_title, eu, us) => {
    const same = (name: string): unknown[] => [
      'Reachable',
      'v1.33.1',
      `it is the same cluster as Secret fleet/${name}`,
    ];
    expect(probed({ eu, us })).toEqual([same('us'), same('eu')]);
  });
});
