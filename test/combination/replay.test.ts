import { expect, it } from '@jest/globals';
import { generate } from './story/generate.js';
import { play } from './story/play.js';
import { printStory } from './story/print.js';

it('tells the same story of a seed again, with the same end', async () => {
  const [one, other] = [generate(7), generate(7)];
  expect(printStory(one)).toBe(printStory(other));
  const [first, second] = [await play(one), await play(other)];
  expect(first.world.server.events).toEqual(second.world.server.events);
});
