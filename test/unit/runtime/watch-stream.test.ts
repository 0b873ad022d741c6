import { describe, expect, it } from '@jest/globals';
import { errors } from 'undici';
import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { WatchEvent } from '#runtime/client/kube.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { decodeWatch, isSilence } from '#runtime/client/watch-stream.js';

const ATTEMPT = 'cannot watch ConfigMap ns/configmaps';
const ASKED = { attempt: ATTEMPT, server: 'https://api.test', type: configMapResource, signal: undefined };

function object(name: string, annotations?: Record<string, string>): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, resourceVersion: `1-${name}`, ...(annotations && { annotations }) },
  };
}

function line(type: string, body: object): string {
  return `${JSON.stringify({ type, object: body })}\n`;
}

// Letters of two and of three bytes: a cut may go through them.
const BODY = Buffer.from(line('ADDED', object('ä')) + line('MODIFIED', object('€')) + line('DELETED', object('b')));

async function* chunksOf(...chunks: readonly Buffer[]): AsyncIterable<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

async function decoded(body: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<WatchEvent<KubeObject>[]> {
  const events: WatchEvent<KubeObject>[] = [];
  for await (const event of decodeWatch<KubeObject>(body, { ...ASKED, signal })) events.push(event);
  return events;
}

function told(events: readonly WatchEvent<KubeObject>[]): string[] {
  return events.map((event) => ('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type));
}

describe('the events of a watch', () => {
  it('are the same wherever the bytes are split', async () => {
    for (let at = 0; at <= BODY.length; at += 1) {
      const events = await decoded(chunksOf(BODY.subarray(0, at), BODY.subarray(at)));
      expect(told(events)).toEqual(['ADDED ä', 'MODIFIED €', 'DELETED b']);
    }
  });

  it('are the whole lines before a cut, wherever it is', async () => {
    const ends = [...BODY.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at);
    for (let at = 0; at <= BODY.length; at += 1) {
      const whole = ends.filter((end) => end < at).length;
      expect(await decoded(chunksOf(BODY.subarray(0, at)))).toHaveLength(whole);
    }
  });

  it('are handed on before a connection breaks, and the break is a TransientError without a status', async () => {
    async function* broken(): AsyncIterable<Buffer> {
      yield await Promise.resolve(BODY);
      throw new Error('other side closed');
    }
    const seen: string[] = [];
    const reading = (async (): Promise<void> => {
      for await (const event of decodeWatch(broken(), ASKED)) seen.push(event.type);
    })();
    await expect(reading).rejects.toMatchObject({
      name: 'TransientError',
      message: `${ATTEMPT}: the stream broke`,
      status: undefined,
    });
    expect(seen).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('take memory while they are not whole', async () => {
    let held = 0;
    const share = { grow: (bytes: number) => (held += bytes) };
    const seen: number[] = [];
    async function* body(): AsyncIterable<Buffer> {
      for (const end of [5, 20, BODY.length - 3, BODY.length - 2]) {
        yield await Promise.resolve(BODY.subarray(seen.at(-1) ?? 0, end));
        seen.push(end);
        const bytes = end - (BODY.lastIndexOf('\n', end - 1) + 1);
        expect(held).toBeGreaterThanOrEqual(bytes);
        expect(held).toBeLessThanOrEqual(1.25 * bytes);
      }
    }
    for await (const { type } of decodeWatch(body(), { ...ASKED, share })) expect(type).not.toBe('ERROR');
    expect(seen).toHaveLength(4);
    expect(held).toBe(0);
  });

  it('keep no more than their own bytes of what was read from a socket', async () => {
    async function* body(): AsyncIterable<Buffer> {
      for (let at = 0; at < BODY.length; at += 7) {
        const read = Buffer.alloc(65_536, ' ');
        BODY.copy(read, 100, at, at + 7);
        yield await Promise.resolve(read.subarray(100, Math.min(107, 100 + BODY.length - at)));
        read.fill('?');
      }
    }
    expect(told(await decoded(body()))).toEqual(['ADDED ä', 'MODIFIED €', 'DELETED b']);
  });

  it('end in a CancelledError when the caller wanted it so', async () => {
    const stopping = new AbortController();
    async function* broken(): AsyncIterable<Buffer> {
      yield await Promise.resolve(BODY.subarray(0, 5));
      stopping.abort();
      throw new Error('aborted');
    }
    await expect(decoded(broken(), stopping.signal)).rejects.toThrow(CancelledError);
  });

  it('are a TransientError where a line is no JSON', async () => {
    await expect(decoded(chunksOf(Buffer.from('<html>\n')))).rejects.toThrow(TransientError);
  });

  it('may be any number, as long as the objects that they leave are not too much', async () => {
    const read = async (lines: readonly string[]): Promise<number> => {
      let seen = 0;
      for await (const { type } of decodeWatch(chunksOf(...lines.map((each) => Buffer.from(each))), {
        ...ASKED,
        mostInAll: 10_000,
      }))
        seen += type === 'ADDED' ? 1 : 0;
      return seen;
    };
    const managed = object('busy');
    const managedFields = [{ manager: 'm', fieldsV1: { a: 'x'.repeat(20_000) } }];
    const busy = { ...managed, metadata: { ...managed.metadata, managedFields } };
    const churn = Array.from({ length: 100 }, (_, index) => [
      line('MODIFIED', busy),
      line('ADDED', object(`n${index}`)),
      line('DELETED', object(`n${index}`)),
    ]);
    expect(await read(churn.flat())).toBe(100);
    const growing = Array.from({ length: 100 }, (_, index) => line('ADDED', object(`n${index}`)));
    await expect(read(growing)).rejects.toMatchObject({ reason: 'AnswerTooLong' });
  });

  it.each([
    ['no object', [null, 1, 'text', []]],
    ['an object without metadata', [{}, { metadata: null }, { metadata: 'text' }, { metadata: [] }]],
    [
      'an object without a name',
      [{ metadata: {} }, { metadata: { name: 5 } }, { metadata: { name: { length: -1e12 } } }],
    ],
    ['an object whose namespace is no text', [{ metadata: { name: 'a', namespace: null } }]],
    [
      'an object whose resourceVersion is no short text',
      [
        { metadata: { name: 'a', resourceVersion: 5 } },
        { metadata: { name: 'a', resourceVersion: '1'.repeat(2_000) } },
      ],
    ],
  ])('are refused where they have %s, before anything is counted', async (what, objects) => {
    for (const odd of objects)
      for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
        const body = chunksOf(Buffer.from(`${JSON.stringify({ type, object: odd })}\n`));
        const read = decodeWatch(body, { ...ASKED, mostInAll: 10_000 })
          [Symbol.asyncIterator]()
          .next();
        await expect(read).rejects.toMatchObject({
          name: 'TransientError',
          message: `${ATTEMPT}: https://api.test answered with ${what}: something else answers in place of the API server`,
          publicMessage: `${ATTEMPT}: the server answered with ${what}: something else answers in place of the API server`,
        });
      }
  });

  it.each([
    [{}],
    [null],
    [{ metadata: { resourceVersion: 5 } }],
    [{ metadata: { resourceVersion: '1'.repeat(2_000) } }],
  ])('are refused where a bookmark is odd: %#', async (odd) => {
    const body = Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object: odd })}\n`);
    await expect(decoded(chunksOf(body))).rejects.toThrow('something else answers in place of the API server');
  });

  it('name bookmarks, the one that ends a list among them', async () => {
    const end = object('end', { 'k8s.io/initial-events-end': 'true' });
    const body = Buffer.from(line('BOOKMARK', object('plain')) + line('BOOKMARK', end));
    expect(await decoded(chunksOf(body))).toEqual([
      { type: 'BOOKMARK', resourceVersion: '1-plain' },
      { type: 'BOOKMARK', resourceVersion: '1-end', initialEventsEnd: true },
    ]);
  });

  it('contain the error with which the server ended the watch, and skip unknown ones', async () => {
    const status = { kind: 'Status', code: 410, message: 'too old resource version' };
    const body = Buffer.from(line('NEW_KIND_OF_EVENT', {}) + '\n' + line('ERROR', status));
    expect(await decoded(chunksOf(body))).toEqual([{ type: 'ERROR', code: 410, message: 'too old resource version' }]);
  });

  it('distinguish a stream that was silent for too long from one that broke', async () => {
    const failing = async (error: Error): Promise<unknown> => {
      // A stream that throws before its first byte.
      async function* body(): AsyncIterable<Buffer> {
        await Promise.resolve();
        throw error;
      }
      return decoded(body()).catch((thrown: unknown) => thrown);
    };
    expect(isSilence(await failing(new errors.BodyTimeoutError()))).toBe(true);
    expect(isSilence(await failing(new errors.SocketError('other side closed')))).toBe(false);
    expect(isSilence(new errors.BodyTimeoutError())).toBe(false);
  });
});
