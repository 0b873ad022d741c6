import { describe, expect, it } from '@jest/globals';
import { askedEntries } from '#queries/plans/explained.js';
import { application, entriesOf } from '../../application/model/builders.js';
import { inventory, own, selecting } from '../../application/model/clusters/builders.js';

const app = application([selecting({ env: 'prod' })]);
const all = entriesOf(app, inventory(['eu', 'us'].map((name) => own(name, { env: 'prod' }))));

const clustersOf = (asked: Parameters<typeof askedEntries>[1]): string[] =>
  askedEntries(all, asked).map(({ clusterName }) => clusterName);

describe('the destinations that are asked for', () => {
  it.each([
    ['are all', {}, ['eu', 'us']],
    ['are those of one cluster', { cluster: 'us' }, ['us']],
  ])('%s', (_, asked, expected) => {
    expect(clustersOf(asked)).toEqual(expected);
  });

  it('are refused if there are none on the cluster', () => {
    let refused: unknown;
    try {
      clustersOf({ cluster: 'mars' });
    } catch (error: unknown) {
      refused = error;
    }
    expect(refused).toMatchObject({
      reason: 'NoDestination',
      message: expect.stringMatching(/it; choose one of eu, us$/),
    });
  });

  it('are refused if there are none at all', () => {
    expect(() => askedEntries([], { cluster: 'eu' })).toThrow('has no destination on it; it has none');
  });
});
