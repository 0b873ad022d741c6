import { describe, expect, test } from '@jest/globals';
import { causeFirst } from '#queries/views/state-meaning.js';

describe('causeFirst', () => {
  test.each([
    [
      'a failed action',
      'Helm install failed for release app/web with chart web@1.0.0: no such image',
      'no such image (Helm install failed for release app/web with chart web@1.0.0)',
    ],
    [
      'a test with its revision',
      'Helm test failed for release app/web.v2 with chart web@1.0.0: a: b',
      'a: b (Helm test failed for release app/web.v2 with chart web@1.0.0)',
    ],
    [
      'a health check of the embedded engine',
      'health check failed: timeout waiting for: [Deployment/a/b: InProgress]',
      'timeout waiting for: [Deployment/a/b: InProgress] (health check failed)',
    ],
    [
      'a health check of Flux',
      'health check failed after 30.5s: timeout waiting for: [a]',
      'timeout waiting for: [a] (health check failed after 30.5s)',
    ],
    ['an action that went well', 'Helm install succeeded for release app/web.v1 with chart web@1.0.0', undefined],
    ['any other message', 'chart.version: ">>1" is neither', undefined],
  ])('of %s', (_, message, expected = message) => expect(causeFirst(message)).toBe(expected));
});
