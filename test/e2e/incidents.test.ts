import { describe, expect, it } from '@jest/globals';
import { incidentNames } from '../combination/incidents/judge.js';
import { startFleet } from '../combination/servers/fleet.js';
import { Playings, QUICK, slowIncidents } from '../combination/servers/incidents.js';
import { fixture } from '../support/fixture.js';

const MEMBERS = 3;

describe('on real servers, the incident', () => {
  const played = fixture(
    async () => {
      const fleet = await startFleet(MEMBERS);
      return { fleet, playings: new Playings(fleet, QUICK) };
    },
    ({ fleet }) => fleet.stop(),
  );

  it.each(QUICK)('%s', async (name) => expect(await played.playings.problems(name)).toEqual([]));

  it('is one of those that are played here, or in the long suite', () => {
    expect([...QUICK, ...slowIncidents()].sort()).toEqual(incidentNames());
  });
});
