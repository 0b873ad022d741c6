import { afterAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { storedObjectsTask, type StoredObjects } from '#queries/members/stored-objects.js';
import { answerOf } from '#runtime/isolation/offload.js';
import { billionLaughs } from '../../../support/billion-laughs.js';
import { builtOffload } from '../../../support/offload.js';

const offload = builtOffload();

afterAll(() => offload.close());

function packed(value: unknown): string {
  return Buffer.from(gzipSync(JSON.stringify(value)).toString('base64')).toString('base64');
}

function read(data: string): Promise<StoredObjects> {
  const answer = offload.run(storedObjectsTask, JSON.stringify({ data, namespace: 'shop' }), 'shop');
  return answerOf<StoredObjects>(answer, ({ message }) => ({ problem: message }));
}

const manifestOf = (...names: string[]): string =>
  names.map((name) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`).join('');

/** The longest time that the event loop was held up meanwhile. */
async function heldUpMs(work: Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work;
  clearInterval(timer);
  return longest;
}

describe('the objects of a stored release', () => {
  test('are those of its manifest, in the namespace of the release', async () => {
    const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' };
    expect(await read(packed({ manifest: manifestOf('a', 'b') }))).toEqual({
      objects: [expect.objectContaining({ ...target, name: 'a' }), expect.objectContaining({ ...target, name: 'b' })],
    });
  });

  test.each<[string, () => string, string]>([
    [
      'an object that no API server takes',
      () => packed({ manifest: `a: ${'x'.repeat(1_600_000)}` }),
      'larger than any',
    ],
    ['what unpacks to far more', () => packed({ manifest: 'x'.repeat(17 * 1024 * 1024) }), 'has more than'],
    ['what is no release', () => 'AAAA', 'does not contain a Helm'],
    ['aliases of aliases', () => packed({ manifest: billionLaughs(20) }), ''],
  ])('are not read of %s', async (_, dataOf, problem) => {
    expect(await read(dataOf())).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('are no more than anybody looks at', async () => {
    const found = await read(packed({ manifest: manifestOf(...Array.from({ length: 5_010 }, (_, at) => `n${at}`)) }));
    expect('objects' in found && found.objects.length).toBe(5_000);
  });

  test('of 900 KB of hostile YAML hold up nobody else', async () => {
    const deep = Array.from({ length: 60 }, (_, at) => `k${at}: ${'['.repeat(150)}${'{ a: "\\u0041", '.repeat(600)}`);
    const noise = Array.from({ length: 5_000 }, () => `- &a${randomBytes(4).toString('hex')} {x: [1, 2, {y: *b}]}`);
    for (const manifest of [deep.join('\n'), noise.join('\n'), '? '.repeat(450_000), '- '.repeat(450_000)]) {
      const data = packed({ manifest });
      expect(await heldUpMs(read(data))).toBeLessThan(1_000);
    }
  });
});
