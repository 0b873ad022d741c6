import { expect, test } from '@jest/globals';
import { approveRemovalsRequest } from '#queries/views/requests.js';
import { application } from '../../../support/application.js';

const HELD = application('web', '{ removals: { held: 2, approval: a1 } }');

test.each([
  ['what was seen', HELD, 'a1', 'the removals of 2 releases are approved'],
  ['one', application('web', '{ removals: { held: 1, approval: a1 } }'), 'a1', 'the removal of 1 release is approved'],
])('%s is approved', (_, app, seen, done) => {
  expect(approveRemovalsRequest(app, seen)).toEqual({
    annotations: { 'gitops.kubesphere.io/approve-removals': 'a1' },
    done,
  });
});

test.each([
  ['other removals', HELD, 'a0', /^other removals wait/],
  ['what nobody saw', HELD, undefined, /^other removals wait/],
  ['nothing', application('web'), 'a1', /^no removals wait/],
  ['what is being removed', application('web', '{ removals: { approval: a1, approved: [x] } }'), 'a1', /^no removals/],
])('%s is not', (_, app, seen, refused) => {
  expect(approveRemovalsRequest(app, seen)).toEqual({ problem: expect.stringMatching(refused) });
});
