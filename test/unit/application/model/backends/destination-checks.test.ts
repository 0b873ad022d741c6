import { describe, expect, it } from '@jest/globals';
import { entriesOf } from '#controllers/application/model/entries.js';
import { rejectedEntries } from '#controllers/application/model/reject.js';
import { application, deploy, type Deploy } from '../builders.js';

describe('an entry', () => {
  it.each<[string, string, Deploy]>([
    ['without destination', 'DestinationMissing', {}],
    // An object that is older than the schema may have it.
    ['whose kubeConfig is empty', 'DestinationMissing', { destination: { kubeConfig: {} } } as unknown as Deploy],
    ['with a bad target namespace', 'InvalidName', deploy('Prod')],
  ])('%s is rejected with %s, by its path', (_, reason, entry) => {
    const entries = entriesOf(application([deploy('good'), entry]));
    const [rejected, ...others] = rejectedEntries(entries);
    expect(others).toEqual([]);
    expect(rejected?.violation.reason).toBe(reason);
    expect(rejected?.violation.message).toContain('spec.fluxApp.spec.config.helmRelease.deploy[1].');
  });
});
