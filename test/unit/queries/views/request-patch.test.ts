import { expect, test } from '@jest/globals';
import { requestPatch } from '#queries/views/requests.js';
import { application } from '../../../support/application.js';

const web = application('web', '{}', '{ resourceVersion: "7" }');

test('a request is of the Application as it was read', () => {
  const annotations = { a: null };
  expect(requestPatch(web, { annotations, done: '' })).toEqual({ metadata: { resourceVersion: '7', annotations } });
  expect(requestPatch(web, { annotations, labels: { b: 'c' }, done: '' })).toEqual({
    metadata: { resourceVersion: '7', annotations, labels: { b: 'c' } },
  });
  expect(requestPatch(web, { annotations, spec: { b: 1 }, done: '' })).toMatchObject({ spec: { b: 1 } });
});
