import { expect, test } from '@jest/globals';
import { acceptanceIn } from '#console/server/v1/accept-cluster.js';

const SAID = { object: 'Secret shop/eu', clusterUid: 'b' };

test('what is accepted is read', () => {
  expect(acceptanceIn(SAID)).toEqual(SAID);
});

test.each<[unknown, string]>([
  [undefined, 'the body is not an object'],
  [[], 'the body is not an object'],
  [{}, 'object: it must be a text'],
  [{ object: 'Secret shop/eu' }, 'clusterUid: it must be a text'],
  [{ ...SAID, clusterUid: 1 }, 'clusterUid: it must be a text'],
  [{ ...SAID, object: 'x'.repeat(1_025) }, 'object: it must be a text'],
  [{ ...SAID, uid: 'b' }, '"uid" is no field of the body; choose from object, clusterUid'],
])('%j is refused', (body, says) => {
  expect(() => acceptanceIn(body)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining(says) }),
  );
});
