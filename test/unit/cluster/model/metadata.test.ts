import { describe, expect, test } from '@jest/globals';
import { withReadableAnnotations } from '#controllers/cluster/model/fields.js';

describe('the annotations of a cluster that values may read', () => {
  const cases: readonly (readonly [string, Record<string, string> | undefined, Record<string, string>])[] = [
    ['are those of the object', { region: 'eu' }, { region: 'eu' }],
    ['are none without any', undefined, {}],
    [
      'are without what kubectl applied, which holds the credential of a Secret',
      { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"value":"c2VjcmV0"}}', region: 'eu' },
      { region: 'eu' },
    ],
    [
      'are without what is too long',
      { document: 'x'.repeat(8_193), region: 'x'.repeat(8_192) },
      { region: 'x'.repeat(8_192) },
    ],
  ];

  test.each(cases)('%s', (_title, annotations, expected) => {
    const metadata = { name: 'eu', namespace: 'fleet', ...(annotations && { annotations }) };
    const given = { apiVersion: 'v1', kind: 'Secret', metadata };
    expect(withReadableAnnotations(given)).toEqual({ ...given, metadata: { ...metadata, annotations: expected } });
  });
});
