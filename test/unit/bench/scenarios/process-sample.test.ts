import { describe, expect, it } from '@jest/globals';
import { growthOf, type Sample } from '#bench/figures.js';

const MIB = 2 ** 20;

function samples(...heapMiB: number[]): Sample[] {
  return heapMiB.map((mib) => ({ heapBytes: mib * MIB, sockets: 10, handles: 40 }));
}

describe('growthOf', () => {
  it.each([
    { rule: 'lets a figure go up and down', given: samples(30, 34, 30, 33, 31, 34), expected: [] },
    { rule: 'takes one outlier for noise', given: samples(30, 30, 30, 30, 90, 30), expected: [] },
    {
      rule: 'names what grows slowly',
      given: samples(30, 33, 36, 39, 42, 45),
      expected: [`heapBytes grew from ${33 * MIB} to ${42 * MIB}`],
    },
    {
      rule: 'names sockets and handles',
      given: [...samples(30, 30), ...samples(30, 30).map((each) => ({ ...each, sockets: 40, handles: 90 }))],
      expected: ['sockets grew from 10 to 40', 'handles grew from 40 to 90'],
    },
  ])('$rule', ({ given, expected }) => {
    expect(growthOf(given)).toEqual(expected);
  });
});
