import { expect, it } from '@jest/globals';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { restOf, selectedOf } from '#controllers/application/model/clusters/staying.js';
import { application, entriesOf } from '../builders.js';
import { inventory, own, selecting } from './builders.js';

const app = application([selecting({ env: 'prod' })]);
const clusters = inventory(['a', 'b', 'c', 'd'].map((name) => own(name, { env: 'prod' }, { isPaused: name === 'c' })));
const desired = entriesOf(app, clusters).map((entry) => {
  const { object } = desiredChild(app, entry, undefined);
  return { ...desiredChild(app, entry, object), ...(entry.clusterName === 'd' ? { held: 'its stage' } : {}) };
});
const owned = desired.map(({ live }) => live!);
const text = 'release web/web';

it('a child stays only if the spec decides so now: not if it is paused or held', () => {
  const [leaving] = owned;
  const gone = [{ child: leaving!, uninstalls: true, why: 'it leaves' }];
  const rest = restOf({ owned, matched: owned, desired, wanted: desired }, gone, new Set([text]));
  expect(rest.staying).toEqual([owned[1]]);
  expect(rest.undecided).toEqual([owned[2], owned[3]]);
  const counts = selectedOf(gone, rest, [{ path: 'deploy[0]', text, matched: [], excluded: [], unknown: [] }]);
  expect(counts).toMatchObject([
    { leaving: 1, staying: 1, undecided: 2, uninstalls: true, isWanted: true, isEmptied: true },
    { leaving: 1, staying: 1, undecided: 2, uninstalls: true, isWanted: false, isEmptied: false },
  ]);
});
