import { expect, test } from '@jest/globals';
import { initialized, rejected } from '#controllers/receiver/reconcile.js';

const MOMENT = { generation: 2, now: '2026-01-01T00:00:00Z' };
const PATH = '/hook/1234';

test('a Receiver with a path says so in the words of Flux', () => {
  const failed = rejected({}, MOMENT, { reason: 'TokenNotFound', message: 'gone', stalled: false });
  expect(initialized(failed, MOMENT, PATH)).toEqual({
    observedGeneration: 2,
    webhookPath: PATH,
    conditions: [
      {
        ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message: `Receiver initialized for path: ${PATH}` },
        ...{ observedGeneration: 2, lastTransitionTime: MOMENT.now },
      },
    ],
  });
});

test.each([
  ['a missing token takes it away', 'TokenNotFound', false, undefined],
  ['an invalid spec takes it away', 'FeatureNotSupported', true, undefined],
  ['a server that is out of reach does not', 'Unreachable', false, PATH],
])('the path: %s', (_title, reason, stalled, webhookPath) => {
  const next = rejected(initialized({}, MOMENT, PATH), MOMENT, { reason, message: 'why', stalled });
  expect(next.webhookPath).toBe(webhookPath);
  const types = next.conditions?.map(({ type, status }) => `${type}=${status}`);
  expect(types).toEqual(['Ready=False', stalled ? 'Stalled=True' : 'Reconciling=True']);
});
