import { expect, it } from '@jest/globals';
import { currentCondition } from '#controllers/application/model/child/metadata.js';
import { application, applied, deploy, well, work } from './builders.js';

it('a condition counts as long as it is about the child as it is', () => {
  const [made] = applied([], work(application([deploy('prod')])).steps);
  const child = well(made!);
  const edited = { ...child, metadata: { ...child.metadata, generation: 2 } };
  expect([child, edited, undefined].map((each) => currentCondition(each, 'Ready')?.status)).toEqual([
    'True',
    undefined,
    undefined,
  ]);
});
