import { expect, it } from '@jest/globals';
import { countWords } from '#console/web/overview/model/overview-query.js';

it.each([
  ['Ready', '', 'Applications that are Ready, and nowhere worse'],
  ['Failed', '', 'Applications that are Failed as a whole or on a cluster'],
  ['Ready', 'eu', 'Applications that are Ready on eu'],
])('the count of %s on "%s" is of', (state, cluster, words) => {
  expect(countWords(state, cluster)).toBe(words);
});
