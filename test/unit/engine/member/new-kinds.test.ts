import { expect, test } from '@jest/globals';
import { NewKinds } from '#engine/member/new-kinds.js';

test('kinds are known for longer than any answer of discovery is reused, and then forgotten', () => {
  const newKinds = new NewKinds();
  newKinds.add('a.test/v1', 'One', 0);
  newKinds.add('a.test/v1', 'Two', 600_000);
  newKinds.add('b.test/v1', 'Three', 600_001);
  expect([...newKinds.apiVersions()]).toEqual(['a.test/v1', 'b.test/v1']);
  expect([...newKinds.kindsIn('a.test/v1')]).toEqual(['One', 'Two']);
  newKinds.add('b.test/v1', 'Three', 700_000);
  expect([...newKinds.kindsIn('a.test/v1')]).toEqual(['Two']);
  newKinds.add('b.test/v1', 'Three', 1_300_000);
  expect([...newKinds.apiVersions()]).toEqual(['b.test/v1']);
  expect([...newKinds.kindsIn('a.test/v1')]).toEqual([]);
});
