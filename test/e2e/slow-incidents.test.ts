import { describe, expect, it } from '@jest/globals';
import { INCIDENT, readIncident } from '../combination/incidents/judge.js';
import { startFleet } from '../combination/servers/fleet.js';
import { Playings, slowIncidents } from '../combination/servers/incidents.js';
import { fixture } from '../support/fixture.js';

describe('on real servers, the incident', () => {
  const played = fixture(
    async () => {
      const fleet = await startFleet();
      return { fleet, playings: new Playings(fleet, slowIncidents()) };
    },
    ({ fleet }) => fleet.stop(),
  );

  it.each(slowIncidents())('%s', async (name) => {
    const problems = await played.playings.problems(name);
    // One that fails in memory fails here as well, and in the same way.
    const isFailing = readIncident(name).knownFailure === INCIDENT;
    expect(problems.filter((each) => !isFailing || each.startsWith('apart'))).toEqual([]);
    expect(problems.length > 0).toBe(isFailing);
  });
});
