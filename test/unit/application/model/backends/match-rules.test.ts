import { expect, it } from '@jest/globals';
import { NAME_RULES, releaseRules, textOf } from '#controllers/application/model/backends/match-rules.js';
import { liveReleaseKey, releaseKeyText } from '#controllers/application/model/destinations/identity.js';
import { application, applied, deploy, entriesOf, work } from '../builders.js';

const SIGNS = [...releaseRules({ keyText: releaseKeyText, liveKey: liveReleaseKey }), ...NAME_RULES];

it.each([
  ['with a name', { name: 'main' }, [true, true, true, true, true]],
  ['without one', {}, [undefined, true, true, undefined, true]],
])('an entry %s and the child that was made for it have each sign in common', (_, more, expected) => {
  const app = application([deploy('prod', 'eu', more)]);
  const [entry] = entriesOf(app);
  const [child] = applied([], work(app).steps);
  const common = SIGNS.map(({ ofEntry, ofChild }) => {
    const mark = ofEntry(entry!);
    return mark === undefined ? undefined : mark === ofChild(child!);
  });
  expect(common).toEqual(expected);
});

it('parts that are missing are not parts that are empty', () => {
  expect(textOf('a', undefined)).not.toBe(textOf('a', ''));
});
