import { expect, test } from '@jest/globals';
import { gunzipSync } from 'node:zlib';
import { KeptOverviews } from '#console/server/v1/kept-overviews.js';

/** The one row that the body has. */
function rowOf(bytes: Buffer): string {
  return /\[(.*)\]/s.exec(bytes.toString())?.[1] ?? '';
}

function kept({ length = 1, takesMs = 0 } = {}) {
  const clock = { ms: 0 };
  const made: string[] = [];
  const bodies = new KeptOverviews(
    ({ key }: { readonly key: string }) =>
      () => {
        clock.ms += takesMs;
        made.push(key);
        return { head: '', rows: new Map([[key, `${key}${made.length}`.padEnd(length, '.')]]) };
      },
    () => clock.ms,
  );
  return { bodies, made, clock, textOf: (key: string) => rowOf(bodies.of({ key }).bytes) };
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

test('a body says what changed since an earlier one, as long as that is short', () => {
  const rows = new Map<string, string>();
  const set = (key: string, length: number): void => void rows.set(key, JSON.stringify(key.padEnd(length, '.')));
  for (let index = 0; index < 100; index += 1) set(`row-${index}`, 100);
  const bodies = new KeptOverviews(
    () => () => ({ head: '', rows: new Map(rows) }),
    () => 0,
  );
  const now = () => {
    bodies.outdate();
    return bodies.of({ key: 'a' });
  };
  const first = now();
  expect([first.since(first.tag), first.since('unknown')]).toEqual(['{"changed":[],"removed":[]}', undefined]);
  set('row-1', 10);
  const second = now();
  rows.delete('row-2');
  const third = now();
  const row = rows.get('row-1');
  expect(third.since(first.tag)).toBe(`{"changed":[${row}],"removed":["row-2"]}`);
  expect(third.since(second.tag)).toBe('{"changed":[],"removed":["row-2"]}');
  set('long', 10_000);
  const fourth = now();
  expect([fourth.since(third.tag), fourth.since(first.tag)]).toEqual([undefined, undefined]);
  expect(bodies.of({ key: 'b' }).since(fourth.tag)).toBe('{"changed":[],"removed":[]}');
});

test('a body that is what it was keeps what led to it', () => {
  const texts = ['a', 'b', 'b', 'a', 'a'];
  const padding: [string, string] = ['padding', JSON.stringify('.'.repeat(100))];
  const bodies = new KeptOverviews(
    () => () => ({ head: '', rows: new Map([['row', `"${texts.shift()}"`], padding]) }),
    () => 0,
  );
  const now = () => {
    bodies.outdate();
    return bodies.of({ key: 'a' });
  };
  const [a, b, still] = [now(), now(), now()];
  expect([still.tag, still.since(a.tag)]).toEqual([b.tag, '{"changed":["b"],"removed":[]}']);
  now();
  expect(now().since(b.tag)).toBe('{"changed":["a"],"removed":[]}');
});
