import { expect, test } from '@jest/globals';
import { inNamespace } from '#engine/member/model/inventory.js';

const object = (namespace?: string) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name: 'web', ...(namespace === undefined ? {} : { namespace }) },
});

test.each([
  ['an object without one gets the namespace', object(), 'shop', object('shop')],
  ['its own namespace stays', object('own'), 'shop', object('own')],
  ['an object of the whole cluster has none', object('own'), undefined, object()],
])('%s', (_, given, namespace, expected) => {
  expect(inNamespace(given, namespace)).toEqual(expected);
});
