import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OVERVIEW } from '#console/web/overview/model/overview-query.js';
import { overviewText, updateBetween, updateText, type PrintedOverview } from '#queries/views/overview.js';
import type { Overview, OverviewRow, OverviewUpdate } from '#queries/answers/application.js';

const { merged, path } = OVERVIEW.updates;

function row(name: string, ready = ''): OverviewRow {
  return { namespace: 'shop', name, kind: 'fluxcd', state: 'Ready', ready, revision: '', message: '', cells: [] };
}

const BEFORE: Overview = { clusters: ['eu'], states: ['Ready'], applications: [row('web'), row('api')] };

describe('an overview that follows changes', () => {
  test('asks by the tag, which may be any text', () => {
    expect(path('"a/b+c-gzip"')).toBe('/api/v1/overview?since=a%2Fb%2Bc-gzip');
  });

  test('has what is new, and keeps the rows that did not change', () => {
    const after = merged(BEFORE, {
      changed: [row('api', '1/1'), row('new')],
      removed: ['shop/web', 'shop/never-seen'],
    });
    expect(after.applications).toEqual([row('api', '1/1'), row('new')]);
    const one = merged(BEFORE, { changed: [row('api', '1/1')], removed: [] });
    expect(one.applications[0]).toBe(BEFORE.applications[0]);
  });

  test('is the same one if nothing changed, and another one if the whole came', () => {
    const whole = { ...BEFORE, clusters: ['us'] };
    expect(merged(BEFORE, { changed: [], removed: [] })).toBe(BEFORE);
    expect(merged(BEFORE, whole)).toBe(whole);
  });

  test('is in the end what the server has, in whatever order', () => {
    const rows = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('1/1', '0/1'), {
      noNullPrototype: true,
    });
    const printed = (of: Readonly<Record<string, string>>): PrintedOverview => ({
      head: '"clusters":[],"states":[]',
      rows: new Map(Object.entries(of).map(([name, ready]) => [`shop/${name}`, JSON.stringify(row(name, ready))])),
    });
    const byName = ({ applications }: Overview): string[] => applications.map((each) => JSON.stringify(each)).sort();
    fc.assert(
      fc.property(rows, rows, (before, now) => {
        const update = updateBetween(printed(before), printed(now));
        if (update === undefined) throw new Error('the clusters are the same');
        const seen = JSON.parse(overviewText(printed(before))) as Overview;
        const after = merged(seen, JSON.parse(updateText(update)) as OverviewUpdate);
        expect(byName(after)).toEqual(byName(JSON.parse(overviewText(printed(now))) as Overview));
      }),
    );
  });
});
