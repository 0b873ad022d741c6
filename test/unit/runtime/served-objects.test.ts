import { expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { ListPage } from '#runtime/client/kube.js';
import { listPage, parseAnswer } from '#runtime/client/served-objects.js';

const ASKED = { attempt: 'cannot list ConfigMap a/configmaps', server: 'https://api.test' };

function page(answer: unknown): ListPage<KubeObject> {
  return listPage(configMapResource, answer, ASKED);
}

const EMPTY = { items: [], resourceVersion: '' };

test.each<[string, unknown, object]>([
  [
    'a list',
    { kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [] },
    { items: [], resourceVersion: '7' },
  ],
  ['an empty one as Go prints it', { kind: 'ConfigMapList', metadata: {}, items: null }, EMPTY],
  ['one of metadata', { kind: 'PartialObjectMetadataList', items: null }, EMPTY],
  ['one that leaves its kind out', { items: [] }, EMPTY],
  ['one whose kind is that of a CustomResourceDefinition', { kind: 'Widgets', items: [] }, EMPTY],
  ['a page', { metadata: { continue: 'more' }, items: [] }, { ...EMPTY, continueToken: 'more' }],
])('%s is read', (_what, answer, expected) => expect(page(answer)).toEqual(expected));

test('items have the apiVersion and kind of their type', () => {
  expect(page({ items: [{ metadata: { name: 'a' }, kind: 'PartialObjectMetadata' }] }).items).toEqual([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  ]);
});

test.each<[string, unknown]>([
  ['no list', null],
  ['no list', 'text'],
  ['no list', []],
  ['no list', {}],
  ['no list', { items: null }],
  ['no list', { items: 'text' }],
  ['no list', { items: { length: 1 } }],
  ['no list but "ConfigMapList"', { kind: 'ConfigMapList' }],
  ['no list but "APIResourceList"', { kind: 'APIResourceList', resources: [] }],
  ['no list but "Status"', { kind: 'Status', status: 'Success' }],
  ['a list with odd metadata', { items: [], metadata: 'text' }],
  ['a list with odd metadata', { items: [], metadata: { continue: 5 } }],
  ['a list with odd metadata', { items: [], metadata: { resourceVersion: '1'.repeat(2_000) } }],
  ['an object without metadata', { items: [{}] }],
  ['an object without metadata', { items: [{ metadata: null }] }],
  ['an object without a name', { items: [{ metadata: {} }] }],
  ['no object', { items: [[]] }],
])('an answer with %s does not count as an empty list: %j', (what, answer) => {
  const odd = `answered with ${what}: something else answers in place of the API server`;
  expect(() => page(answer)).toThrow(
    expect.objectContaining({
      name: 'TransientError',
      message: `${ASKED.attempt}: ${ASKED.server} ${odd}`,
      publicMessage: `${ASKED.attempt}: the server ${odd}`,
    }),
  );
});

test('an answer that is no JSON is not quoted: it may hold secrets', () => {
  expect(() => parseAnswer('{"password":"never-shown', ASKED)).toThrow(
    `${ASKED.attempt}: ${ASKED.server} answered with no JSON: something else answers in place of the API server`,
  );
});
