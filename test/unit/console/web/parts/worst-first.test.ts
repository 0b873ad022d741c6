import { expect, test } from '@jest/globals';
import { worstFirst } from '#console/web/parts/model/destinations.js';

test('what is worst is first, and the others stay in their order', () => {
  const items = ['Ready a', 'Odd b', 'Failed c', 'Ready d', 'Unreachable e', 'Progressing f'].map((text) => {
    const [state = '', name = ''] = text.split(' ');
    return { state, name };
  });
  expect(worstFirst(items).map(({ name }) => name)).toEqual(['e', 'c', 'b', 'f', 'a', 'd']);
  expect(items[0]?.name).toBe('a');
});
