import { describe, expect, test } from '@jest/globals';
import { ALL, type OverviewQuery } from '#console/web/overview/model/overview-query.js';
import { shownRows, tallyOf } from '#console/web/overview/model/shown-rows.js';
import type { Overview, OverviewCell, OverviewRow } from '#queries/answers/application.js';

const STATES = ['Failed', 'Progressing', 'Ready'];
const [FAILED, PROGRESSING, READY] = [0, 1, 2];
const [EU, US] = [0, 1];

function row(
  name: string,
  state: OverviewRow['state'],
  cells: readonly OverviewCell[],
  namespace = 'shop',
): OverviewRow {
  return { namespace, name, kind: 'fluxcd', state, ready: '', revision: '', message: '', cells };
}

const OVERVIEW: Overview = {
  clusters: ['eu', 'us', 'unused'],
  states: STATES,
  applications: [
    row('well', 'Ready', [[EU, READY, 1]]),
    row('one', 'Failed', [[EU, FAILED, 1]], 'zoo'),
    row('two', 'Failed', [
      [EU, FAILED, 1],
      [US, FAILED, 2],
    ]),
    row('moving', 'Progressing', [
      [EU, READY, 1],
      [US, PROGRESSING, 1],
    ]),
    row('hidden-trouble', 'Ready', [[US, FAILED, 1]]),
    row('none', 'Invented' as 'Ready', []),
  ],
};

const namesFor = (query: Partial<OverviewQuery>): string[] =>
  shownRows(OVERVIEW, { ...ALL, ...query }).rows.map(({ name }) => name);

describe('the order of rows', () => {
  test.each<[string, Partial<OverviewQuery>, string[]]>([
    [
      'the worst of itself and its destinations, then how many, then the name',
      {},
      ['two', 'hidden-trouble', 'one', 'moving', 'well', 'none'],
    ],
    ['its name', { sort: 'name' }, ['hidden-trouble', 'moving', 'none', 'one', 'two', 'well']],
    ['its namespace', { sort: 'namespace' }, ['hidden-trouble', 'moving', 'none', 'two', 'well', 'one']],
    [
      'its state on a cluster; who is not there comes last',
      { sort: 'cluster:us' },
      ['hidden-trouble', 'two', 'moving', 'none', 'one', 'well'],
    ],
    [
      'a cluster that is gone: as without',
      { sort: 'cluster:gone' },
      ['two', 'hidden-trouble', 'one', 'moving', 'well', 'none'],
    ],
  ])('is that of %s', (_, query, names) => {
    expect(namesFor(query)).toEqual(names);
  });

  test('does not depend on the order in which they come', () => {
    const turned = { ...OVERVIEW, applications: OVERVIEW.applications.toReversed() };
    expect(shownRows(turned, ALL).rows).toEqual(shownRows(OVERVIEW, ALL).rows);
  });
});

describe('rows', () => {
  test.each<[string, Partial<OverviewQuery>, string[]]>([
    ['with a text in the name', { search: 'TROUBLE' }, ['hidden-trouble']],
    ['with a text in the namespace', { search: 'zoo/' }, ['one']],
    ['of a namespace', { namespace: 'zoo' }, ['one']],
    ['on a cluster', { cluster: 'us' }, ['two', 'hidden-trouble', 'moving']],
    ['on a cluster that is gone', { cluster: 'gone' }, []],
    ['with one of two states', { states: ['Progressing', 'Invented'] }, ['moving', 'none']],
    ['with a good state, and no other one', { states: ['Ready'] }, ['well']],
    ['with a state that nothing has', { states: ['__proto__'] }, []],
    [
      'with a state on a cluster, whatever they have elsewhere',
      { states: ['Ready'], cluster: 'eu' },
      ['moving', 'well'],
    ],
    ['with a state that they have themselves only', { states: ['Invented', 'Ready'], cluster: 'us' }, []],
    ['with all of it', { states: ['Failed'], cluster: 'eu', namespace: 'shop' }, ['two']],
  ])('%s', (_, query, names) => {
    expect(namesFor(query)).toEqual(names);
  });

  test.each<[string, Partial<OverviewQuery>, number[]]>([
    ['the clusters that they are on, by name if they are as bad', {}, [EU, US]],
    ['no other clusters', { namespace: 'zoo' }, [EU]],
    ['the worst cluster first', { search: 'moving' }, [US, EU]],
    ['the one with more that is bad first', { states: ['Failed'], search: 'o' }, [EU, US]],
    ['those that were chosen, in that order', { columns: ['unused', 'us'] }, [2, US]],
    ['all, if those that were chosen are gone', { columns: ['gone'] }, [EU, US]],
  ])('have columns for %s', (_, query, columns) => {
    expect(shownRows(OVERVIEW, { ...ALL, ...query }).clusters).toEqual(columns);
  });
});

describe('counts', () => {
  const COUNTS = [
    { state: 'Failed', applications: 3 },
    { state: 'Progressing', applications: 1 },
    { state: 'Ready', applications: 1 },
  ];

  test('have each Application once per state, with a good one only if it has no other, whatever is asked for', () => {
    expect(shownRows(OVERVIEW, ALL).counts).toEqual(COUNTS);
    expect(shownRows(OVERVIEW, { ...ALL, states: ['Ready'] }).counts).toEqual(COUNTS);
  });

  test('are of a cluster that is asked for', () => {
    expect(shownRows(OVERVIEW, { ...ALL, cluster: 'us' }).counts).toEqual([
      { state: 'Failed', applications: 2 },
      { state: 'Progressing', applications: 1 },
    ]);
  });

  test('follow what else is asked for', () => {
    expect(shownRows(OVERVIEW, { ...ALL, search: 'zoo' }).counts).toEqual([{ state: 'Failed', applications: 1 }]);
  });
});

test('a tally counts destinations, the worst state first', () => {
  const cells: OverviewCell[] = [
    [EU, READY, 2],
    [US, FAILED, 1],
    [2, READY, 3],
  ];
  expect(tallyOf(row('web', 'Failed', cells), STATES)).toEqual([
    { state: 'Failed', destinations: 1 },
    { state: 'Ready', destinations: 5 },
  ]);
});
