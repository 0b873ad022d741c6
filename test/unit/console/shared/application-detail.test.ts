import { expect, test } from '@jest/globals';
import { detailOf, itemOf } from '#console/shared/application-detail.js';
import { sortedViews } from '#queries/views/application-view.js';
import { pendingViews } from '#queries/views/pending-view.js';
import { application, RUNNING } from '../../../support/application.js';

const PENDING = `${RUNNING}
pending:
  total: 3
  destinations:
    - { name: prod-app, cluster: prod, reason: Stage, message: later, since: "2026-01-01T00:00:00Z", from: 1, to: 2 }
history: { revision: 2 }
`;
const META = '{ uid: u, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z", labels: { team: x } }';
const WEB = application('web', PENDING, META);

test('an Application in a list is what `fairlead status` prints, without destinations', () => {
  const [{ destinations, ...view }] = sortedViews([WEB]) as [ReturnType<typeof sortedViews>[number]];
  expect(destinations).toHaveLength(2);
  expect(itemOf(WEB)).toEqual({ ...view, uid: 'u', createdAt: '2026-01-01T00:00:00Z', labels: { team: 'x' } });
});

test('a single one has all of it, and what `fairlead pending` prints', () => {
  const [view] = sortedViews([WEB]);
  const { pending, more } = pendingViews([WEB]);
  expect(detailOf(WEB)).toMatchObject({ ...view, pending, morePending: more, resourceVersion: '7' });
  expect(detailOf(WEB)).toMatchObject({ spec: WEB.spec, history: { revision: 2 }, annotations: {} });
  expect([pending.length, more]).toEqual([1, 2]);
});

test('the templates that it is made from are those of its status, also of an earlier version', () => {
  const used = { kind: 'HelmTemplate', namespace: 'team', name: 'web', revision: 2 };
  const withStatus = (status: string) => detailOf(application('web', status)).templates;
  expect(withStatus('templates: [{ kind: HelmTemplate, namespace: team, name: web, revision: 2 }]')).toEqual([used]);
  expect(withStatus('template: HelmTemplate team/web@2')).toEqual([used]);
  expect(detailOf(WEB).templates).toEqual([]);
});

test('one without a status has no conditions yet', () => {
  expect(detailOf(application('new'))).toMatchObject({ conditions: [], destinations: [], state: 'Pending' });
});
