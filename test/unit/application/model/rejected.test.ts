import { describe, expect, it } from '@jest/globals';
import { rejectedEntries } from '#controllers/application/model/destinations/rejected.js';
import { rowsOf } from '#controllers/application/model/status/rows.js';
import { cpuMsOf } from '../../../support/cpu-time.js';
import { application, deploy, type Deploy, entriesOf, files, filesApplication } from './builders.js';
import { inventory, own, selecting } from './clusters/builders.js';

function rejected(...entries: Deploy[]): string[] {
  return rejectedEntries(entriesOf(application(entries))).map(
    ({ entry, violation }) => `${entry.path.replace(/.*deploy/, '')} ${violation.reason}`,
  );
}

describe('an entry', () => {
  it('is fine when it differs from the others in cluster, namespace or release name', () => {
    const others = [deploy('prod', 'us'), deploy('test', 'eu'), deploy('prod', 'eu', { releaseName: 'two' })];
    expect(rejected(deploy('prod', 'eu'), ...others)).toEqual([]);
  });

  it.each<[string, Deploy, Deploy]>([
    ['the release', deploy('prod', 'eu'), deploy('prod', 'eu', { timeout: '1m' })],
    [
      'the release, by another target namespace with the same storage',
      deploy('prod', 'eu'),
      deploy('test', 'eu', { storageNamespace: 'prod' }),
    ],
    [
      'the cluster, by the key that Flux takes by default',
      deploy('prod', 'eu'),
      {
        destination: { targetNamespace: 'prod', kubeConfig: { secretRef: { name: 'eu', key: 'value' } } },
      },
    ],
    ['the name', deploy('prod', 'eu', { name: 'main' }), deploy('test', 'eu', { name: 'main' })],
  ])('that shares %s with another is rejected together with it, and no third one', (_, one, other) => {
    expect(rejected(deploy('free'), one, other)).toEqual(['[1] DuplicateDestination', '[2] DuplicateDestination']);
  });

  it('of files that shares its destination with another needs a name', () => {
    const pair = (one: string | undefined): string[] => {
      const named = one === undefined ? {} : { name: one };
      const app = filesApplication([files('prod', 'eu', named), files('prod', 'eu')]);
      return rejectedEntries(entriesOf(app)).map(({ violation }) => violation.message);
    };
    expect(pair('one')).toEqual([]);
    expect(pair(undefined)).toHaveLength(2);
    expect(pair(undefined)[0]).toContain('define the same namespace prod of cluster eu: give each its own name');
  });

  it('says the same words as the one that it shares a release with', () => {
    const found = rejectedEntries(entriesOf(application([deploy('prod', 'eu'), deploy('prod', 'eu')])));
    const messages = new Set(found.map(({ violation }) => violation.message));
    expect(found).toHaveLength(2);
    expect([...messages]).toEqual([
      expect.stringMatching(/deploy\[0\] and .*deploy\[1\] define the same release prod\/web/),
    ]);
  });

  it('whose release is held by another is rejected with the holder', () => {
    const entries = entriesOf(application([deploy('prod'), deploy('test')]));
    const found = rejectedEntries(entries, ({ targetNamespace }) =>
      targetNamespace === 'prod' ? 'Application shop/older' : undefined,
    );
    expect(found).toMatchObject([{ entry: { targetNamespace: 'prod' }, violation: { reason: 'ReleaseConflict' } }]);
    const [message] = found.map(({ violation }) => violation.message);
    expect(message).toContain(
      'release prod/web belongs to Application shop/older: choose another releaseName, or remove',
    );
    // To delete it would uninstall the release.
    expect(message).not.toContain('delete');
  });
});

describe('the message of many entries that share something', () => {
  it('names the first of them, and is one text for all', () => {
    const entries = Array.from({ length: 7 }, (_, index) => deploy('prod', 'eu', { name: `n${index}` }));
    const found = rejectedEntries(entriesOf(application(entries)));
    const [message, ...others] = new Set(found.map(({ violation }) => violation.message));
    expect(others).toEqual([]);
    expect(message).toMatch(/deploy\[0\] and .*deploy\[4\] and 2 more define the same release prod\/web/);
    const namesakes = rejectedEntries(
      entriesOf(application([1, 2, 3].map((index) => deploy(`p${index}`, 'eu', { name: 'main' })))),
    );
    expect(namesakes[0]?.violation.message).toMatch(/deploy\[2\]\.name are the same, "main": names must differ/);
  });

  it('does not grow with what a tenant selects: 100 entries for the same 100 clusters', () => {
    const clusters = inventory(
      Array.from({ length: 100 }, (_, index) => own(`${index}${'x'.repeat(200)}`, { env: 'prod' })),
    );
    const app = application(Array.from({ length: 100 }, () => selecting({ env: 'prod' })));
    const entries = entriesOf(app, clusters);
    const rejected = rejectedEntries(entries);
    expect(rejected).toHaveLength(10_000);
    expect(Math.max(...rejected.map(({ violation }) => violation.message.length))).toBeLessThan(2_000);
    const outcomes = rejected.map(({ entry, violation }) => ({
      step: { op: 'wait', entry, live: undefined, why: violation.message } as const,
      child: undefined,
    }));
    const cost = cpuMsOf(() => {
      expect(rowsOf({ outcomes, rejected })).toHaveLength(10_000);
    });
    expect(cost).toBeLessThan(2_000);
  });
});
