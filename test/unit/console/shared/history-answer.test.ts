import { expect, test } from '@jest/globals';
import { historyAnswer } from '#console/shared/revision-answers.js';

test('names only the first fields of a revision', () => {
  const facts = { states: [], createdAt: '', cause: '', clusters: [], pinnedClusters: [] };
  const changes = Array.from({ length: 52 }, (_, index) => `config.values.${index}`);
  const view = {
    application: 'web',
    namespace: 'shop',
    unknown: ['eu'],
    revisions: [{ ...facts, revision: 2, changes }],
  };
  const { revisions, ...rest } = historyAnswer(view, ['HelmRelease']);
  expect(rest).toEqual({ unknown: ['eu'], forbidden: ['HelmRelease'] });
  expect([revisions[0]?.changes.length, revisions[0]?.moreChanges]).toEqual([50, 2]);
});
