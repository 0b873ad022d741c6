import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { sourceItems } from '#console/shared/source-item.js';
import type { SourceItem } from '#queries/answers/clusters.js';
import type { SourceObject } from '#queries/views/source-view.js';
import { heldBytes } from '../../../support/heap.js';

function item(kind: string, yaml: string): SourceItem | undefined {
  const metadata = { name: 'a', namespace: 'shop' };
  const object = { apiVersion: 'v1', kind, metadata, ...(load(yaml) as object) } as SourceObject;
  return sourceItems([object])[0];
}

test.each<[string, string, string]>([
  ['as it is', 'https://charts.example.com/stable', 'https://charts.example.com/stable'],
  ['without user and password', 'https://me:secret@example.com/x', 'https://example.com/x'],
  ['without a query', 'https://example.com/x?token=secret#secret', 'https://example.com/x'],
  ['of a registry', 'oci://me:secret@ghcr.io/charts', 'oci://ghcr.io/charts'],
  ['of SSH, with its port', 'ssh://git@example.com:2222/x.git', 'ssh://example.com:2222/x.git'],
  ['not, if nobody can read it', 'https://me:secret@', ''],
])('the URL is shown %s', (_, url, shown) => {
  expect(item('GitRepository', JSON.stringify({ spec: { url } }))?.url).toBe(shown);
});

test('a bucket has its endpoint', () => {
  expect(item('Bucket', '{ spec: { endpoint: "me:secret@s3.example.com:9000", bucketName: b } }')?.url).toBe(
    's3.example.com:9000/b',
  );
});

test('a HelmChart says what it is from, and its version', () => {
  const spec = '{ chart: web, sourceRef: { kind: HelmRepository, name: charts } }';
  const found = item('HelmChart', `{ spec: ${spec}, status: { artifact: { revision: 1.2.3 } } }`);
  expect(found).toMatchObject({ chart: 'web', source: 'HelmRepository/charts', revision: '1.2.3', state: 'Ready' });
});

test('whatever a spec says, nothing is thrown and no text is long', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('url', 'endpoint', 'bucketName', 'chart', 'sourceRef'), fc.anything()),
      (spec) => {
        const found = sourceItems([{ apiVersion: 'v1', kind: 'Bucket', metadata: { name: 'a' }, spec }]);
        expect(Math.max(...Object.values(found[0] ?? {}).map((text) => text.length))).toBeLessThan(1_100);
      },
    ),
  );
  const url = `https://example.com/${'x'.repeat(5_000)}`;
  expect(item('HelmRepository', JSON.stringify({ spec: { url } }))?.url).toHaveLength(501);
});

test('a list holds nothing of what it does not show', () => {
  const before = heldBytes();
  const kept = Array.from({ length: 50 }, (_, index) => {
    const url = `https://charts.example.com/charts-of-somebody-${index}?${'x'.repeat(1_000_000)}`;
    return item('HelmRepository', JSON.stringify({ spec: { url } }));
  });
  expect(heldBytes() - before).toBeLessThan(10_000_000);
  expect(kept).toHaveLength(50);
});
