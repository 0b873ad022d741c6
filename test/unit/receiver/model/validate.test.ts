import { describe, expect, test } from '@jest/globals';
import omit from 'lodash/omit.js';
import { ReceiverSpec as SpecSchema, type ReceiverSpec } from '#api/flux/receiver.js';
import { acceptReceiver } from '#controllers/receiver/model/validate.js';
import { filesBelow, textOf } from '../../../meta/repository.js';
import { receiver } from './builders.js';

function problemOf(spec: Partial<ReceiverSpec>): unknown {
  try {
    acceptReceiver(receiver(spec), false);
    return undefined;
  } catch (error: unknown) {
    return error;
  }
}

const ISSUER = { issuerURL: 'https://example.com', validations: [{ expression: 'true', message: 'no' }] };

describe('what is not accepted says why, and the way out', () => {
  test.each<[string, Partial<ReceiverSpec>, string, RegExp]>([
    [
      'tokens of Google',
      { type: 'gcr' },
      'FeatureNotSupported',
      /^spec\.type gcr is not supported .*: use generic-hmac/,
    ],
    ['tokens of OIDC', { type: 'generic-oidc' }, 'FeatureNotSupported', /^spec\.type generic-oidc is not supported/],
    ['issuers', { oidcProviders: [ISSUER] }, 'ValidationFailed', /^spec\.oidcProviders is only for .*: remove it$/],
    ['a resource', { resources: [{ kind: 'ImagePolicy', name: 'a' }] }, 'FeatureNotSupported', /^spec\.resources\[0\]/],
    ['a filter', { resourceFilter: 'nonsense(' }, 'InvalidCELExpression', /^spec\.resourceFilter is not a valid CEL/],
    ['a filter of text', { resourceFilter: '"a"' }, 'InvalidCELExpression', /it returns string, not bool/],
    ['a filter of claims', { resourceFilter: 'claims.a == 1' }, 'InvalidCELExpression', /claims/],
    [
      'a filter of a resource',
      { resources: [{ kind: 'Bucket', name: 'a', filter: 'res.x ==' }] },
      'InvalidCELExpression',
      /^spec\.resources\[0\]\.filter is not a valid CEL expression/,
    ],
    ['endless filters', { resourceFilter: '1 == 1 || '.repeat(20_000) }, 'InvalidCELExpression', /more than 100000/],
  ])('%s', (_title, spec, reason, message) => {
    expect(problemOf(spec)).toMatchObject({ reason, message: expect.stringMatching(message) as unknown });
  });

  test('a Receiver without a Secret', () => {
    const spec = omit(receiver().spec, 'secretRef');
    expect(() => acceptReceiver({ ...receiver(), spec }, false)).toThrow(/^spec\.secretRef is missing: name a Secret/);
  });
});

test('filters are stacked', () => {
  const { targets } = acceptReceiver(
    receiver({
      resourceFilter: 'req.tag == "1"',
      resources: [
        { kind: 'Bucket', name: 'a', filter: 'res.metadata.name == "a"' },
        { kind: 'Bucket', name: 'b', filter: '' },
      ],
    }),
    false,
  );
  expect(targets.map(({ filters }) => filters)).toEqual([
    ['req.tag == "1"', 'res.metadata.name == "a"'],
    ['req.tag == "1"'],
  ]);
});

test('every field is read or rejected', () => {
  const words = new Set(filesBelow('controllers/receiver').flatMap((file) => textOf(file).match(/\w+/g) ?? []));
  // The interval by the shared rule on intervals.
  const fields = Object.keys(omit(SpecSchema.properties, 'interval'));
  expect(fields.filter((field) => !words.has(field))).toEqual([]);
});
