import { describe, expect, test } from '@jest/globals';
import { explainText } from '#cli/inspect/model/explain-text.js';
import { explanationGroups } from '#queries/plans/explanation-groups.js';
import { destinations, many, PATH, value } from '../../queries/plans/explained.js';

describe('the text', () => {
  const options = { wide: false, columns: 200 };

  test('has one line for a value that differs on a thousand clusters', () => {
    const all = destinations(many, (name) => [value('host', name, { written: '${{ cluster.name }}' })]);
    const lines = explainText(explanationGroups(all, undefined), options).split('\n');
    expect(lines).toEqual([
      `${PATH} on edge-0, edge-1, edge-2, edge-3, edge-4 and 995 more`,
      'FIELD         VALUE                             FROM',
      'values.host   "edge-0" on edge-0 and 999 more   entry: ${{ cluster.name }}',
      'Below these values, and not read: values.yaml of chart web',
    ]);
  });

  test('is bounded, and says what is left and how to see it', () => {
    const all = destinations(many, (name) => [value(name, 1)]);
    const groups = explanationGroups(all, undefined);
    expect(groups).toHaveLength(1_000);
    const lines = explainText(groups, options).split('\n');
    expect(lines.length).toBeLessThan(120);
    expect(lines.at(-1)).toBe('980 more destinations: --cluster NAME shows one of them, -o wide all');
    expect(explainText(groups, { ...options, wide: true }).split('\n').length).toBeGreaterThan(4_000);
  });

  test('shortens long values unless it is wide, and keeps control characters off the terminal', () => {
    const all = destinations(['eu'], () => [value('a', `\u001b[31m${'x'.repeat(100)}`)]);
    const groups = explanationGroups(all, undefined);
    expect(explainText(groups, options)).toContain('xxx…   entry');
    const wide = explainText(groups, { ...options, wide: true });
    expect(wide).toContain('x'.repeat(100));
    expect(wide).not.toContain('\u001b');
  });
});
