import { expect, it } from '@jest/globals';
import type { DestinationState } from '#api/v1alpha1/states.js';
import { reachableFirst } from '#console/web/parts/model/destinations.js';

it.each([
  ['as it was', 'b Failed, a Ready, c Pending', 'b a c'],
  ['with what cannot be reached at the end', 'b Unreachable, a Failed, c Unreachable, d Ready', 'a d b c'],
  ['with what another destination could not reach at the end', 'b Failed, a Ready, b Unreachable', 'a b b'],
  ['of nothing', '', ''],
])('the order in which clusters are read is %s', (_, rows, expected) => {
  const destinations = rows.split(', ').map((row) => {
    const [cluster = '', state = ''] = row.split(' ');
    return { cluster, state: state as DestinationState };
  });
  expect(reachableFirst(destinations).map(({ cluster }) => cluster)).toEqual(expected.split(' '));
});
