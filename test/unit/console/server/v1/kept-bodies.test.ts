import { expect, test } from '@jest/globals';
import { gunzipSync } from 'node:zlib';
import { KeptBodies } from '#console/server/v1/kept-bodies.js';

function kept({ length = 1, takesMs = 0 } = {}) {
  const clock = { ms: 0 };
  const made: string[] = [];
  const bodies = new KeptBodies(
    ({ key }: { readonly key: string }) =>
      () => {
        clock.ms += takesMs;
        made.push(key);
        return `${key}${made.length}`.padEnd(length, '.');
      },
    () => clock.ms,
  );
  return { bodies, made, clock, textOf: (key: string) => bodies.of({ key }).bytes.toString() };
}

test('a body is made once for all readers of a key, and anew once something changed', () => {
  const { bodies, textOf } = kept();
  expect([textOf('a'), textOf('a'), textOf('b')]).toEqual(['a1', 'a1', 'b2']);
  const { tag } = bodies.of({ key: 'a' });
  bodies.outdate();
  expect([textOf('b'), textOf('a'), textOf('a')]).toEqual(['b3', 'a4', 'a4']);
  expect(bodies.of({ key: 'a' }).tag).not.toBe(tag);
});

test('a body takes a tenth of the time at most, however often something changes', () => {
  const { bodies, clock, textOf } = kept({ takesMs: 10 });
  textOf('a');
  bodies.outdate();
  clock.ms = 99;
  expect(textOf('a')).toBe('a1');
  clock.ms = 100;
  expect(textOf('a')).toBe('a2');
});

test('a long body is compressed once', async () => {
  const { bodies } = kept({ length: 10_000 });
  const body = bodies.of({ key: 'a' });
  const [first, second] = [await body.gzipped(), await bodies.of({ key: 'a' }).gzipped()];
  expect([body.isSmall, first === second, first.length < 1_000]).toEqual([false, true, true]);
  expect(gunzipSync(first).equals(body.bytes)).toBe(true);
});

test('what was not asked for longest makes room', () => {
  const { made, textOf } = kept({ length: 60 * 1024 * 1024 });
  for (const key of ['a', 'b', 'a']) textOf(key);
  expect(made).toEqual(['a', 'b', 'a']);
});
