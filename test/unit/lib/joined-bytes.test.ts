import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JoinedBytes } from '#lib/joined-bytes.js';

test('parts become one piece that takes at most a quarter more', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (parts) => {
      const joined = new JoinedBytes();
      for (const part of parts) {
        joined.add(Buffer.from(part));
        expect(joined.capacity).toBe(joined.view().buffer.byteLength);
        expect(joined.capacity).toBeLessThanOrEqual(1.25 * joined.length);
      }
      expect(joined.view()).toEqual(Buffer.concat(parts));
    }),
  );
});

test('a part is not kept', () => {
  const joined = new JoinedBytes();
  const part = Buffer.from('abc');
  joined.add(part);
  part.fill('?');
  expect(joined.view().toString()).toBe('abc');
  joined.clear();
  expect([joined.length, joined.capacity]).toEqual([0, 0]);
});
