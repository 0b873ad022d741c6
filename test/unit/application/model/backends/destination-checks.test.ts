import { describe, expect, it } from '@jest/globals';
import { deploy, rejectionOf, type Deploy } from '../builders.js';

describe('an entry', () => {
  it.each<[string, string, Deploy]>([
    ['without destination', 'DestinationMissing', {}],
    // An object that is older than the schema may have it.
    ['whose kubeConfig is empty', 'DestinationMissing', { destination: { kubeConfig: {} } } as unknown as Deploy],
    ['with a bad target namespace', 'InvalidName', deploy('Prod')],
  ])('%s is rejected with %s, by its path', (_, reason, entry) => {
    expect(rejectionOf(entry)).toBe(reason);
  });
});
