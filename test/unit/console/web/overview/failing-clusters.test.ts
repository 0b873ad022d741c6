import { expect, it } from '@jest/globals';
import { failingClusters } from '#console/web/overview/model/shown-rows.js';
import type { Overview, OverviewCell, OverviewRow } from '#queries/answers/application.js';

const OVERVIEW: Overview = {
  clusters: ['ap', 'br', 'eu', 'us', 'za', ''],
  states: ['Unreachable', 'Failed', 'Progressing', 'Ready'],
  applications: [],
};

const ROW: OverviewRow = {
  ...{ namespace: 'shop', name: 'web', kind: '', state: 'Ready', ready: '', revision: '', message: '', cells: [] },
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
  expect(failingClusters({ ...ROW, cells }, OVERVIEW).map(({ state, text }) => `${state}: ${text}`)).toEqual(expected);
});

it('names all that fail to who points at it, up to twenty', () => {
  const clusters = Array.from({ length: 25 }, (_, index) => `c${String(index).padStart(2, '0')}`);
  const rowOf = (count: number): OverviewRow => ({
    ...ROW,
    cells: clusters.slice(0, count).map((_, at) => [at, 1, 1]),
  });
  const titleOf = (count: number) => failingClusters(rowOf(count), { ...OVERVIEW, clusters })[0]?.title;
  expect(titleOf(20)).toBe(clusters.slice(0, 20).join(', '));
  expect(titleOf(25)).toBe(`${clusters.slice(0, 20).join(', ')} and 5 more`);
});
