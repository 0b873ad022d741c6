import { expect, it } from '@jest/globals';
import { failingClusters } from '#console/web/model/failing-clusters.js';
import type { Overview, OverviewCell, OverviewRow } from '#controllers/read-model/overview.js';

const OVERVIEW: Overview = {
  clusters: ['ap', 'br', 'eu', 'us', 'za', ''],
  states: ['Unreachable', 'Failed', 'Progressing', 'Ready'],
  applications: [],
};

it.each<[string, OverviewCell[], string[]]>([
  [
    'all is well or moving',
    [
      [0, 3, 1],
      [1, 2, 1],
    ],
    [],
  ],
  [
    'one fails',
    [
      [0, 3, 1],
      [2, 1, 4],
    ],
    ['Failed: eu'],
  ],
  [
    'the worst state is the last',
    [
      [2, 1, 1],
      [3, 0, 1],
    ],
    ['Unreachable: us', 'Failed: eu'],
  ],
  [
    'there are many',
    [
      [4, 1, 1],
      [3, 1, 1],
      [2, 1, 1],
      [1, 1, 1],
      [0, 1, 1],
    ],
    ['Failed: ap, br, eu and 2 more'],
  ],
  ['the cluster is not known yet', [[5, 1, 1]], ['Failed: unknown']],
  ['the server knows other states', [[0, 9, 1]], []],
])('where %s', (_, cells, expected) => {
  const row: OverviewRow = {
    namespace: 'shop',
    name: 'web',
    kind: '',
    state: '',
    ready: '',
    revision: '',
    message: '',
    cells,
  };
  expect(failingClusters(row, OVERVIEW).map(({ state, text }) => `${state}: ${text}`)).toEqual(expected);
});
