import { expect, test } from '@jest/globals';
import { Arrivals } from '#controllers/engine/member/arrivals.js';

test('kinds are known for longer than any answer of discovery is reused, and then forgotten', () => {
  const arrivals = new Arrivals();
  arrivals.add('a.test/v1', 'One', 0);
  arrivals.add('a.test/v1', 'Two', 600_000);
  arrivals.add('b.test/v1', 'Three', 600_001);
  expect([...arrivals.apiVersions()]).toEqual(['a.test/v1', 'b.test/v1']);
  expect([...arrivals.kindsIn('a.test/v1')]).toEqual(['One', 'Two']);
  arrivals.add('b.test/v1', 'Three', 700_000);
  expect([...arrivals.kindsIn('a.test/v1')]).toEqual(['Two']);
  arrivals.add('b.test/v1', 'Three', 1_300_000);
  expect([...arrivals.apiVersions()]).toEqual(['b.test/v1']);
  expect([...arrivals.kindsIn('a.test/v1')]).toEqual([]);
});
