import { describe, expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { WORST_FIRST } from '#api/v1alpha1/states.js';
import {
  mergedUpdate,
  OverviewPrinter,
  overviewText,
  updateBetween,
  updateText,
  type PrintedOverview,
} from '#queries/views/overview.js';
import type { Overview, OverviewUpdate } from '#queries/answers/application.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

const overviewOf = (applications: readonly Application[], printer = new OverviewPrinter()): Overview =>
  JSON.parse(overviewText(printer.print(applications))) as Overview;
const rank = (state: string): number => WORST_FIRST.findIndex((each) => each === state);

describe('an overview', () => {
  test('names each cluster once, and refers to it', () => {
    const { clusters, states, applications } = overviewOf([application('web', RUNNING), application('api', RUNNING)]);
    expect(clusters).toEqual(['host', 'prod']);
    expect(states).toEqual(WORST_FIRST);
    const cells = [
      [1, rank('Progressing'), 1],
      [0, rank('Ready'), 1],
    ];
    expect(applications.map(({ name, cells: found }) => [name, found])).toEqual([
      ['web', cells],
      ['api', cells],
    ]);
  });

  test('has one cell for all destinations of a cluster, in the worst state of them', () => {
    const row = (state: string): string => `{ name: ${state}, cluster: prod, state: ${state} }`;
    const status = `{ destinations: [${['Ready', 'Failed', 'Progressing'].map(row).join(', ')}] }`;
    expect(overviewOf([application('web', status)]).applications[0]?.cells).toEqual([[0, rank('Failed'), 3]]);
  });

  test.each<[string, string, string]>([
    ['without a status', '{}', 'no controller has reconciled it yet'],
    ['that is stalled', STALLED, 'spec.fluxApp.spec.source is missing'],
    ['that is Ready', '{ conditions: [{ type: Ready, status: "True", message: all is well }] }', ''],
  ])('says of one %s why it is not Ready', (_, status, message) => {
    expect(overviewOf([application('web', status)]).applications[0]?.message).toBe(message);
  });

  test('shortens messages without half a character', () => {
    const status = `{ conditions: [{ type: Ready, status: "False", message: "${'😀'.repeat(1_000)}" }] }`;
    const text = overviewOf([application('web', status)]).applications[0]?.message ?? '';
    expect(text).toBe(`${'😀'.repeat(119)}…`);
  });

  test('takes a state that it does not know for one that is not decided', () => {
    const status = '{ destinations: [{ name: a, cluster: __proto__, state: constructor }] }';
    const { clusters, applications } = overviewOf([application('web', status)]);
    expect([clusters, applications[0]?.cells]).toEqual([['__proto__'], [[0, rank('Pending'), 1]]]);
  });

  test('of nothing is empty', () => {
    expect(overviewOf([])).toEqual({ clusters: [], states: WORST_FIRST, applications: [] });
  });

  test('is the same whatever was printed before', () => {
    const printer = new OverviewPrinter();
    const [web, api, other] = ['web', 'api', 'other'].map((name) => application(name, RUNNING)) as [
      Application,
      Application,
      Application,
    ];
    const elsewhere = application('web', '{ destinations: [{ name: a, cluster: asia, state: Ready }] }');
    for (const those of [[web], [web, api], [elsewhere, api, other], [api], [], [web, other]]) {
      expect(overviewOf(those, printer)).toEqual(overviewOf(those));
    }
  });

  test('of many clusters is a few characters for each cell, and prints again only what changed', () => {
    const [count, most] = [300, 200];
    const rows = Array.from({ length: most }, (_, index) => `{ name: c${index}, cluster: c${index}, state: Ready }`);
    const status = `{ destinations: [${rows.join(', ')}] }`;
    const read: string[] = [];
    const watched = (name: string): Application =>
      new Proxy(application(name, status), {
        get: (target, key, receiver): unknown => {
          if (key === 'status') read.push(name);
          return Reflect.get(target, key, receiver);
        },
      });
    const first = Array.from({ length: count }, (_, index) => watched(`web-${index}`));
    const printer = new OverviewPrinter();
    expect(overviewText(printer.print(first)).length / (count * most)).toBeLessThan(14);
    read.length = 0;
    const { applications } = overviewOf([watched('web-0'), ...first.slice(1)], printer);
    expect([applications.length, applications[0]?.cells.length]).toEqual([count, most]);
    expect([...new Set(read)]).toEqual(['web-0']);
  });
});

describe('an update', () => {
  const read = (update: Parameters<typeof updateText>[0]): OverviewUpdate =>
    JSON.parse(updateText(update)) as OverviewUpdate;
  const between = (before: PrintedOverview, now: PrintedOverview): [string[], readonly string[]] | undefined => {
    const update = updateBetween(before, now);
    if (update === undefined) return undefined;
    const { changed, removed } = read(update);
    return [changed.map(({ name }) => name), removed];
  };

  test('names what is new, what changed and what is gone, whoever printed it', () => {
    const [web, api] = [application('web', RUNNING), application('api', RUNNING)];
    const before = new OverviewPrinter().print([web, api]);
    const changed = application('web', RUNNING.replace('Progressing', 'Failed'));
    const printer = new OverviewPrinter();
    expect(between(before, printer.print([web, api]))).toEqual([[], []]);
    const now = printer.print([changed, application('new', RUNNING)]);
    expect(between(before, now)).toEqual([['web', 'new'], ['shop/api']]);
  });

  test('is not possible where cells refer to other clusters', () => {
    const elsewhere = application('api', '{ destinations: [{ name: a, cluster: asia, state: Ready }] }');
    const printer = new OverviewPrinter();
    const before = printer.print([application('web', RUNNING)]);
    expect(between(before, printer.print([application('web', RUNNING), elsewhere]))).toBeUndefined();
  });

  test.each<[string, [changed: string[], removed: string[]][], OverviewUpdate['removed'], number]>([
    [
      'that adds what the next one removes',
      [
        [['a'], []],
        [[], ['a']],
      ],
      ['a'],
      0,
    ],
    [
      'that removes what the next one adds',
      [
        [[], ['a']],
        [['a'], []],
      ],
      [],
      1,
    ],
    [
      'that changes what the next one changes',
      [
        [['a'], []],
        [['a'], []],
      ],
      [],
      1,
    ],
  ])('%s is merged with it', (_, steps, removed, changed) => {
    const updates = steps.map(([rows, gone]) => ({
      changed: new Map(rows.map((key, index) => [key, `{"name":"${key}${index}"}`])),
      removed: new Set(gone),
    }));
    const merged = read(mergedUpdate(updates));
    expect([merged.removed, merged.changed.length]).toEqual([removed, changed]);
  });
});
