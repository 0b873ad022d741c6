import { describe, expect, it } from '@jest/globals';
import { askedEntries } from '#controllers/preview/asked-entries.js';
import { printJson } from '#controllers/runtime/pure/lossless-json.js';
import { application, entriesOf } from '#test/unit/application/model/builders.js';
import { inventory, own, selecting } from '#test/unit/application/model/clusters/builders.js';

const app = application([selecting({ env: 'prod' })]);
const all = entriesOf(app, inventory(['eu', 'us'].map((name) => own(name, { env: 'prod' }))));
const length = printJson([all[0]?.fields, all[0]?.values ?? null]).length;

const clustersOf = (asked: Parameters<typeof askedEntries>[1]): string[] =>
  askedEntries(all, asked).map(({ clusterName }) => clusterName);

describe('the destinations that are asked for', () => {
  it.each([
    ['are all', {}, ['eu', 'us']],
    ['are those of one cluster', { cluster: 'us' }, ['us']],
    ['may be as much as the limit', { mostCharacters: 2 * length }, ['eu', 'us']],
    ['are less on one cluster', { cluster: 'eu', mostCharacters: length }, ['eu']],
  ])('%s', (_, asked, expected) => {
    expect(clustersOf(asked)).toEqual(expected);
  });

  it.each([
    ['none on the cluster', { cluster: 'mars' }, 'NoDestination', 'it; choose one of eu, us'],
    [
      'too much',
      { mostCharacters: 2 * length - 1 },
      'TooLarge',
      'its 2 destinations state is too much for one answer; ask for one cluster',
    ],
    ['too much on one', { cluster: 'eu', mostCharacters: 9 }, 'TooLarge', 'too much for one answer'],
  ])('are refused if they are %s', (_, asked, reason, message) => {
    let refused: unknown;
    try {
      clustersOf(asked);
    } catch (error: unknown) {
      refused = error;
    }
    expect(refused).toMatchObject({ reason, message: expect.stringMatching(new RegExp(`${message}$`)) });
  });

  it('are refused if there are none at all', () => {
    expect(() => askedEntries([], { cluster: 'eu' })).toThrow('has no destination on it; it has none');
  });
});
