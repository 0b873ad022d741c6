import { expect, it } from '@jest/globals';
import { stableObject } from '#controllers/cluster/model/fields.js';

it('an object as a fact lacks what changes on its own, and nothing else', () => {
  const metadata = { name: 'eu', uid: '1', labels: { env: 'prod' } };
  const spec = { paused: false, generation: 1 };
  const status = { phase: 'Provisioned' };
  const object = {
    metadata: { ...metadata, resourceVersion: '7', generation: 2, managedFields: [] },
    spec,
    status: { ...status, observedGeneration: 2, conditions: [], v1beta2: {}, deprecated: {} },
  };
  expect(stableObject(object)).toEqual({ metadata, spec, status });
});
