import { describe, expect, test } from '@jest/globals';
import { eventualChanges, installed } from '#controllers/application/model/dry-run.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, ops, work, type Deploy } from './builders.js';

const childrenOf = (entries: Deploy[]): Child[] => applied([], work(application(entries)).steps).map(installed);
const changes = (entries: Deploy[], children: Child[]): string[] =>
  eventualChanges(work(application(entries), children).steps).map(({ action, message }) => `${action} ${message}`);

describe('what becomes of children in the end', () => {
  const eu = deploy('prod', 'eu');

  test('is nothing where nothing changes, also of what is installed once', () => {
    const entries = [eu, deploy('base', undefined, { mode: 'Once' })];
    expect(changes(entries, childrenOf(entries))).toEqual([]);
  });

  test('does not reach what was installed once', () => {
    const children = childrenOf([deploy('base', 'eu', { mode: 'Once' })]);
    expect(changes([deploy('base', 'eu', { mode: 'Once', timeout: '1m' })], children)).toEqual([]);
  });

  test('is said with the cluster of each', () => {
    expect(changes([{ ...eu, timeout: '1m' }, deploy('new')], childrenOf([eu, deploy('old', 'us')]))).toEqual([
      'changed on eu: changed timeout',
      'created on host: new destination',
      'deleted on us: no entry specifies it any more',
    ]);
  });

  test('is without the digest, which follows from the rest', () => {
    const [finding] = eventualChanges(work(application([{ ...eu, timeout: '1m' }]), childrenOf([eu])).steps);
    expect(JSON.stringify(finding?.compared)).not.toContain('sha256:');
    expect(finding?.compared).toMatchObject({ new: { spec: { timeout: '1m' } } });
  });

  test('has what waits until another child is deleted', () => {
    const children = childrenOf([deploy('prod', 'eu', { name: 'main' })]);
    const moved = [deploy('prod', 'us', { name: 'main' })];
    expect(ops(work(application(moved), children).steps)).toEqual(['wait', 'delete']);
    expect(changes(moved, children).map((line) => line.split(':')[0])).toEqual(['created on us', 'deleted on eu']);
  });

  test('has nothing of rejected entries, whose children stay', () => {
    const children = childrenOf([eu]);
    expect(changes([eu, { ...eu, timeout: '1m' }], children)).toEqual([]);
  });
});
