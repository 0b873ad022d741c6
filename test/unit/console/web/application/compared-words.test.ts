import { expect, test } from '@jest/globals';
import { comparedField, comparedWords } from '#console/web/application/model/compared.js';
import { COMPARED_STATES } from '#queries/answers/words.js';

test('what differs looks bad, and only what is the same looks good', () => {
  const meanings = COMPARED_STATES.map((state) => comparedWords(state).meaning);
  expect(meanings).toEqual(['bad', 'bad', 'moving', 'idle', 'idle', 'good']);
});

test('a field has what is there before what is wanted, and nothing of a Secret', () => {
  expect(comparedField({ path: '/metadata/labels/a~1b', live: '"x"', wanted: '"y"' })).toEqual({
    ...{ path: 'metadata.labels["a/b"]', old: '"x"', next: '"y"' },
  });
  expect(comparedField({ path: '/data/password' })).toEqual({ path: 'data.password', old: '', next: '' });
});
