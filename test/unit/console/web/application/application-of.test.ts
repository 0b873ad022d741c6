import { expect, test } from '@jest/globals';
import { applicationOf } from '#console/web/application/model/offers.js';
import { approveRemovalsRequest } from '#queries/views/requests.js';
import { rollbackRequest } from '#queries/views/rollback-requests.js';
import { readApplication } from './read-application.js';

test('has what requests read', () => {
  const web = applicationOf(readApplication());
  expect(web.metadata).toMatchObject({ name: 'web', namespace: 'shop', uid: 'u' });
  const request = rollbackRequest({ application: web, kept: [1], to: 1, cluster: 'mars' });
  expect(request).toEqual({ problem: 'there is no destination on cluster mars, only on host, prod' });
});

test('has the removals that wait', () => {
  const web = applicationOf(readApplication('{ removals: { held: 2, approval: a1 } }'));
  expect(approveRemovalsRequest(web, 'a1')).toHaveProperty('done', 'the removals of 2 releases are approved');
});
