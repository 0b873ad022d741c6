import { expect, it } from '@jest/globals';
import { adapted } from './adapted.js';

it('counts the steps that real servers cannot do, and those that they do in another way', () => {
  const story = {
    members: ['phys-1'],
    steps: [
      { do: 'jump', by: 60, seconds: 5 },
      { do: 'crash', afterWrites: 2, seconds: 900 },
      { do: 'commit', number: 2, seconds: 0 },
    ],
  } as const;
  const { steps, changes } = adapted(story);
  expect([...changes]).toEqual([
    ['jump left out', 1],
    ['crash as a kill', 1],
  ]);
  expect(steps.slice(0, 2)).toEqual([
    { do: 'restart', seconds: 60 },
    { do: 'commit', number: 2, seconds: 0 },
  ]);
});

it('shortens bake times wherever they are', () => {
  const to = { stages: [{ name: 'canary', bakeTime: '10m' }] };
  const { steps } = adapted({ members: [], steps: [{ do: 'edit', app: 'web', at: 'rollout', to, seconds: 5 }] });
  expect(steps[0]).toMatchObject({ to: { stages: [{ name: 'canary', bakeTime: '2s' }] } });
});
