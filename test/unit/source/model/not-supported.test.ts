import { expect, test } from '@jest/globals';
import { notSupported } from '#controllers/source/model/source.js';
import { TerminalError } from '#lib/errors.js';

test('what is not supported is named, with both ways out', () => {
  const error = notSupported('spec.verify');
  expect(error).toBeInstanceOf(TerminalError);
  expect(error).toMatchObject({
    reason: 'FeatureNotSupported',
    message: 'spec.verify is not supported by the embedded engine: remove it, or run Flux (--engine=external)',
  });
  expect(notSupported('a Bucket', 'use a GitRepository').message).toContain(': use a GitRepository, or run Flux');
});
