import { describe, expect, it } from '@jest/globals';
import { RELEASE_CHECKS } from '#controllers/application/model/backends/checks.js';
import { rejectedEntries } from '#controllers/application/model/destinations/rejected.js';
import { application, deploy, type Deploy, entriesOf, rejectionOf } from '../builders.js';

const prod = (more: Partial<Deploy>): Deploy => deploy('prod', undefined, more);

describe('an entry of a release', () => {
  it.each<[string, string, Deploy]>([
    ['with a bad storage namespace', 'InvalidName', prod({ storageNamespace: 'a.b' })],
    ['with a release name over 53 characters', 'InvalidName', prod({ releaseName: 'a'.repeat(54) })],
    ['that installs with client-side apply', 'ClientSideApplyRefused', prod({ install: { serverSideApply: false } })],
    [
      'that upgrades with client-side apply',
      'ClientSideApplyRefused',
      prod({ upgrade: { serverSideApply: 'disabled' } }),
    ],
    ['that has a strategy without a name', 'InvalidStrategy', prod({ install: { strategy: {} } })],
    [
      'that pauses without the strategy that tries again',
      'InvalidStrategy',
      prod({ upgrade: { strategy: { retryInterval: '1m' } } }),
    ],
    [
      'that pauses with the strategy that does not try again',
      'InvalidStrategy',
      prod({ install: { strategy: { name: 'RemediateOnFailure', retryInterval: '1m' } } }),
    ],
    [
      'that chooses a label of Kubernetes for its namespace',
      'NamespaceMetadataInvalid',
      prod({ namespaceLabels: { 'kubernetes.io/metadata.name': 'x' } }),
    ],
    [
      'that has a bad annotation for its namespace',
      'NamespaceMetadataInvalid',
      prod({ namespaceAnnotations: { 'a b': 'x' } }),
    ],
  ])('%s is rejected with %s, by its path', (_, reason, entry) => {
    expect(rejectionOf(entry)).toBe(reason);
  });

  it('that is plain passes each check', () => {
    const [entry] = entriesOf(application([prod({})]));
    expect(RELEASE_CHECKS.flatMap((check) => check(entry!) ?? [])).toEqual([]);
  });

  it('may pause with the strategy that tries again', () => {
    const upgrade = { strategy: { name: 'RetryOnFailure' as const, retryInterval: '1m' } };
    expect(rejectedEntries(entriesOf(application([prod({ upgrade })])))).toEqual([]);
  });

  it('names the field of labels that it cannot have', () => {
    const [rejected] = rejectedEntries(entriesOf(application([prod({ namespaceAnnotations: { 'a b': 'x' } })])));
    expect(rejected?.violation.message).toMatch(/deploy\[0\]\.namespaceAnnotations: "a b" is not a valid key/);
  });
});
