import { expect, test } from '@jest/globals';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('src-unsupported');

const CASES = [
  [
    'Bucket',
    { bucketName: 'manifests', endpoint: '127.0.0.1' },
    'the kind Bucket is not supported by the embedded engine: use a GitRepository or an OCIRepository, or run Flux (--engine=external)',
  ],
] as const;

test.each(CASES)('an object that would never be fetched says so: %s', async (kind, spec, message) => {
  await harness.apply(kind, 'asked', spec);
  const { status, metadata } = await harness.until(kind, 'asked', (current) => {
    expect(current.status?.observedGeneration).toBe(current.metadata.generation);
  });
  const facts = { reason: 'FeatureNotSupported', message, observedGeneration: metadata.generation };
  expect(conditionOf({ status } as never, 'Ready')).toMatchObject({ status: 'False', ...facts });
  expect(conditionOf({ status } as never, 'Stalled')).toMatchObject({ status: 'True', ...facts });
});

test.each(CASES.map(([kind, spec]) => [kind, spec] as const))('nothing else is done to it: %s', async (kind, spec) => {
  await harness.apply(kind, 'plain', spec);
  await harness.apply(kind, 'asleep', { ...spec, suspend: true });
  await harness.until(kind, 'plain', (current) => expect(conditionOf(current, 'Stalled')).toBeDefined());
  const writes = await harness.writesDuring('plain', () => harness.reconcile(kind, 'plain'));
  // The annotation of the test, and the answer to it.
  expect(writes).toHaveLength(2);
  expect((await harness.read(kind, 'plain'))?.metadata.finalizers).toBeUndefined();
  expect((await harness.read(kind, 'asleep'))?.status?.conditions).toBeUndefined();
  await harness.remove(kind, 'plain');
});
