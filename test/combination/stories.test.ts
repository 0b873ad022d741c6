import { expect, it } from '@jest/globals';
import { ALL, play } from './story/play.js';
import { printStory } from './story/print.js';
import { readStory, storedNames } from './story/stored.js';

it.each(storedNames())('%s', async (name) => {
  const story = readStory(name);
  const { findings } = await play(story, { invariants: ALL });
  const found = findings.map(({ invariant, message }) => `${invariant}: ${message}`).join('\n');
  const shown = `${printStory(story)}\n${found}`;
  const failed = [...new Set(findings.map(({ invariant }) => invariant))];
  // If you fix the defect of a story, remove its `knownFailure`.
  const expected = story.knownFailure === undefined ? [] : [story.knownFailure];
  expect({ shown, failed }).toEqual({ shown, failed: expected });
});
