import { expect, it } from '@jest/globals';
import { appliedLines } from '#cli/install/install.js';

it('says what became of an object', () => {
  expect(appliedLines('Role x', { action: 'configured', changes: [] }, { dryRun: false })).toEqual([
    'Role x configured',
  ]);
});

it('names the fields that would change, with their new values', () => {
  const changes = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'reg/f:8' },
    { op: 'add', path: '/metadata/labels/a.b~1c', value: 'd' },
    { op: 'remove', path: '/spec/replicas' },
  ] as const;
  expect(appliedLines('Deployment x', { action: 'configured', changes }, { dryRun: true })).toEqual([
    'Deployment x configured (dry run)',
    '  spec.template.spec.containers[0].image: reg/f:8',
    "  metadata.labels['a.b/c']: d",
    '  spec.replicas: removed',
  ]);
});

it('shortens long values and long lists', () => {
  const changes = Array.from(
    { length: 10 },
    (_, index) => ({ op: 'add', path: `/x${index}`, value: 'v'.repeat(99) }) as const,
  );
  const lines = appliedLines('CRD x', { action: 'configured', changes }, { dryRun: true });
  expect(lines[1]).toBe(`  x0: ${'v'.repeat(60)}...`);
  expect(lines.at(-1)).toBe('  and 2 more');
});
