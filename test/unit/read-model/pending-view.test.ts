import { expect, it } from '@jest/globals';
import { pendingTable } from '#cli/pending/pending-table.js';
import { pendingViews } from '#controllers/read-model/pending-view.js';
import { application, deploy } from '../application/model/builders.js';

const since = '2026-01-01T00:00:00Z';
const row = {
  name: 'eu-prod',
  cluster: 'eu',
  namespace: 'prod',
  reason: 'Stage',
  message: 'waits for "canary"',
} as const;
const app = {
  ...application([deploy('prod')]),
  status: { pending: { total: 3, destinations: [{ ...row, from: 1, to: 2, change: 'values.color', since }] } },
};

it('shows what waits, what would change, and how many more there are', () => {
  const { pending, more } = pendingViews([app, application([])]);
  expect(more).toBe(2);
  const now = Date.parse(since) + 7_200_000;
  expect(pendingTable(pending, { allNamespaces: false, columns: undefined, now })).toBe(
    [
      'APPLICATION   DESTINATION   CLUSTER   FROM   TO   REASON   AGE   MESSAGE',
      'web           eu-prod       eu        1      2    Stage    2h    values.color: waits for "canary"',
    ].join('\n'),
  );
});
