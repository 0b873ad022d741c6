import { describe, expect, test } from '@jest/globals';
import { explainText } from '#cli/explain/explain-text.js';
import { explanationGroups } from '#controllers/preview/explanation-groups.js';
import type { ExplainedDestination } from '#controllers/application/explain.js';
import type { ExplainedValue } from '#controllers/application/model/clusters/explain.js';
import { entriesOf, application } from '#test/unit/application/model/builders.js';
import { inventory, own, selecting } from '#test/unit/application/model/clusters/builders.js';

const PATH = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';

/** Destinations of one entry on clusters with these names. */
function destinations(
  names: readonly string[],
  valuesOf: (name: string) => readonly ExplainedValue[],
  more: (name: string) => Partial<ExplainedDestination> = () => ({}),
): ExplainedDestination[] {
  const clusters = names.map((name) => own(name, { env: 'prod' }));
  const app = application([selecting({ env: 'prod' })]);
  return entriesOf(app, inventory(clusters)).map((entry) => ({
    entry: { ...entry, values: { entry: {}, valuesTemplate: 'a: 1', overrides: [] } },
    ...{ violation: undefined, unread: ['values.yaml of chart web'] },
    explanation: { fields: [], values: valuesOf(entry.clusterName) },
    ...more(entry.clusterName),
  }));
}

const value = (path: string, of: unknown, more: Partial<ExplainedValue> = {}): ExplainedValue => ({
  ...{ path: [path], value: of, from: PATH },
  ...more,
});

const many = Array.from({ length: 1_000 }, (_, index) => `edge-${index}`);

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
