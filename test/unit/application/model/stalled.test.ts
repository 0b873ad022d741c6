import { describe, expect, it } from '@jest/globals';
import { stalledOutcomes } from '#controllers/application/model/decide.js';
import { type Row, rowsOf } from '#controllers/application/model/status/rows.js';
import { application, applied, deploy, type Deploy, seenWorld, well, work } from './builders.js';

function rows(before: Deploy[], after: Deploy[]): Row[] {
  const children = applied([], work(application(before)).steps).map(well);
  const validation = { violation: { reason: 'DeployEmpty', message: '' } } as const;
  const world = seenWorld({ application: application(after), validation, owned: children });
  const outcomes = stalledOutcomes(world.destinations);
  return rowsOf({ outcomes, rejected: [] });
}

const brief = (given: readonly Row[]) => given.map(({ key, state, wanted }) => [key, state, wanted]);

describe('an Application that is invalid as a whole', () => {
  it('reports the state of each child', () => {
    expect(brief(rows([deploy('a'), deploy('b')], [deploy('a'), deploy('b')]))).toEqual([
      ['a', 'Ready', true],
      ['b', 'Ready', true],
    ]);
  });

  it('reports what an entry without a child waits for', () => {
    const [row] = rows([], [deploy('a')]);
    expect(row).toMatchObject({ state: 'Pending', message: 'waiting: the Application as a whole is stalled' });
  });

  it('shows the child of a removed entry, without a word of it going', () => {
    const [row] = rows([deploy('a')], []);
    expect(row).toMatchObject({ state: 'Ready', wanted: false });
    expect(row?.message).toContain('left unchanged, the Application as a whole is stalled');
  });
});
