import { expect, test } from '@jest/globals';
import { HEALTH_LABEL, SYNC_LABEL } from '#api/v1alpha1/labels.js';
import { summaryOf } from '#console/shared/kubesphere-answers.js';
import { application } from '../../../support/application.js';

test('every Application counts once in each of both, whatever somebody wrote into its labels', () => {
  const labelled = (health: string, sync: string) =>
    application('a', '{}', JSON.stringify({ labels: { [HEALTH_LABEL]: health, [SYNC_LABEL]: sync } }));
  const applications = [
    ...[labelled('Healthy', 'Synced'), labelled('Healthy', 'OutOfSync'), labelled('Degraded', 'Unknown')],
    ...[labelled('__proto__', 'toString'), application('b')],
  ];
  expect(summaryOf(applications)).toEqual({
    total: 5,
    healthStatus: { Healthy: 2, Degraded: 1, Unknown: 2, Progressing: 0, Suspended: 0, Missing: 0 },
    syncStatus: { Synced: 1, OutOfSync: 1, Unknown: 3 },
  });
});

test('none is all zero', () => expect(summaryOf([]).total).toBe(0));
