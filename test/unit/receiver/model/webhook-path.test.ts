import { expect, test } from '@jest/globals';
import { isWebhookPath, webhookPath } from '#controllers/receiver/model/authenticate.js';

test('the path is the one that Flux publishes', () => {
  // `printf tokenhookshop | sha256sum`, as in GetWebhookPath of notification-controller/api.
  const path = webhookPath(Buffer.from('token'), { name: 'hook', namespace: 'shop' });
  expect(path).toBe('/hook/53838efebd950145121645f3d07ed7f9b04e80e31eb68b404ed227292702b5fe');
});

test('bytes that are no UTF-8 count as they are', () => {
  const paths = [0xfe, 0xff].map((byte) => webhookPath(Buffer.from([byte]), { name: 'hook', namespace: 'shop' }));
  expect(new Set(paths).size).toBe(2);
});

test.each([
  ['a path', `/hook/${'a'.repeat(64)}`, true],
  ['with a query', `/hook/${'a'.repeat(64)}?x=1`, false],
  ['shorter', `/hook/${'a'.repeat(63)}`, false],
  ['longer', `/hook/${'a'.repeat(65)}`, false],
  ['in upper case', `/hook/${'A'.repeat(64)}`, false],
  ['that climbs', `/hook/../${'a'.repeat(61)}`, false],
  ['of nothing', '', false],
])('%s', (_title, path, expected) => {
  expect(isWebhookPath(path)).toBe(expected);
});
