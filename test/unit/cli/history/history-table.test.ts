import { expect, it } from '@jest/globals';
import { historyTable } from '#cli/inspect/history.js';
import type { RevisionView } from '#queries/answers/revisions.js';
import { generatedPart } from '../../../meta/generated-docs.js';

const NOW = Date.parse('2026-01-10T00:00:00Z');
const none = { states: [], cause: '', changes: [], clusters: [], pinnedClusters: [] };

const ROWS: readonly RevisionView[] = [
  {
    ...{ ...none, revision: 7, states: ['Current', 'RollingOut'], createdAt: '2026-01-09T23:58:00Z' },
    ...{ cause: 'fix the checkout', changes: ['chart version 6.7.0 -> 6.7.1'], clusters: ['eu-west'] },
  },
  {
    ...{ ...none, revision: 6, states: ['LastGood'], createdAt: '2026-01-06T00:00:00Z' },
    changes: ['a', 'b', 'c', 'd'].map((key) => `config.helmRelease.deploy[0].values.${key}`),
    clusters: ['ap-south', 'eu-north', 'us-east', 'us-west'],
  },
  {
    ...{ ...none, revision: 4, states: ['Pinned'], createdAt: '2026-01-01T00:00:00Z' },
    ...{ clusters: ['sa-east'], pinnedClusters: ['sa-east'] },
  },
];

it('is what the docs show on a terminal of 80 columns', () => {
  const picture = `\`\`\`\n${historyTable(ROWS, { wide: false, columns: 80, now: NOW })}\n\`\`\``;
  expect(generatedPart('docs/cli.md', 'history', picture)).toBe(picture);
});

it('names the stage at which a rollout is halted', () => {
  const halted = { ...none, revision: 7, createdAt: '', states: ['Current', 'Halted'], haltedAt: 'europe' } as const;
  expect(historyTable([halted], { wide: false, columns: 80, now: NOW })).toContain('Current, Halted (europe)');
});

it('names everything when it is wide', () => {
  const lines = historyTable(ROWS, { wide: true, columns: undefined, now: NOW }).split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain('fix the checkout: chart version 6.7.0 -> 6.7.1');
  expect(lines[2]).toContain('ap-south, eu-north, us-east, us-west');
  expect(lines[2]).toContain('values.d');
});

it('lets nobody write to the terminal', () => {
  const hostile = { ...none, revision: 1, createdAt: 'junk', cause: 'a\u001b[31m\nb', clusters: ['c\u202ed'] };
  const text = historyTable([hostile], { wide: true, columns: undefined, now: NOW });
  expect(text.split('\n')).toHaveLength(2);
  expect(text).not.toMatch(/[\u001b\u202e]/);
});

it.each([80, 100])('breaks no field on a terminal of %i columns', (columns) => {
  const changes = [
    'config.helmRelease.deploy[0].values.light.message',
    'config.helmRelease.deploy[0].values.light.period',
  ];
  const rows = [{ ...none, revision: 5, createdAt: '2026-01-09T23:58:00Z', clusters: ['c01', 'c02', 'c04'], changes }];
  const lines = historyTable(rows, { wide: false, columns, now: NOW }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  for (const change of changes) expect(lines.join('\n')).toContain(change);
});
