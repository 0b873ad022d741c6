import { describe, expect, it } from '@jest/globals';
import { entriesOf } from '#controllers/application/model/entries.js';
import { rejectedEntries } from '#controllers/application/model/reject.js';
import { application, deploy, type Deploy } from '../builders.js';

describe('an entry of a release', () => {
  it.each<[string, string, Deploy]>([
    ['with a bad storage namespace', 'InvalidName', deploy('prod', undefined, { storageNamespace: 'a.b' })],
    [
      'with a release name over 53 characters',
      'InvalidName',
      deploy('prod', undefined, { releaseName: 'a'.repeat(54) }),
    ],
    [
      'that installs with client-side apply',
      'ClientSideApplyRefused',
      deploy('prod', undefined, { install: { serverSideApply: false } }),
    ],
    [
      'that upgrades with client-side apply',
      'ClientSideApplyRefused',
      deploy('prod', undefined, { upgrade: { serverSideApply: 'disabled' } }),
    ],
    ['that has a strategy without a name', 'InvalidStrategy', deploy('prod', undefined, { install: { strategy: {} } })],
    [
      'that pauses without the strategy that tries again',
      'InvalidStrategy',
      deploy('prod', undefined, { upgrade: { strategy: { retryInterval: '1m' } } }),
    ],
    [
      'that pauses with the strategy that does not try again',
      'InvalidStrategy',
      deploy('prod', undefined, { install: { strategy: { name: 'RemediateOnFailure', retryInterval: '1m' } } }),
    ],
  ])('%s is rejected with %s, by its path', (_, reason, entry) => {
    const entries = entriesOf(application([deploy('good'), entry]));
    const [rejected, ...others] = rejectedEntries(entries);
    expect(others).toEqual([]);
    expect(rejected?.violation.reason).toBe(reason);
    expect(rejected?.violation.message).toContain('spec.fluxApp.spec.config.helmRelease.deploy[1].');
  });

  it('may pause with the strategy that tries again', () => {
    const upgrade = { strategy: { name: 'RetryOnFailure' as const, retryInterval: '1m' } };
    expect(rejectedEntries(entriesOf(application([deploy('prod', undefined, { upgrade })])))).toEqual([]);
  });
});
