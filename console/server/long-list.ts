import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { printJson } from '#lib/json/lossless-json.js';
import type { ListAnswer } from '../shared/list-query.js';

/** Characters that are printed at once. */
const PIECE = 64 * 1024;
/** What a list was when it was asked for is not kept for readers who take longer. */
const LIMIT_MS = 60_000;

/** A list as JSON, each piece printed when it is asked for. */
export function* printedPieces({ items, totalItems }: ListAnswer): Generator<string, void> {
  let piece = `{"totalItems":${totalItems},"items":[`;
  for (const [index, item] of items.entries()) {
    piece += `${index === 0 ? '' : ','}${printJson(item)}`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}

/** Lets others have the thread between two pieces. Throws when the time is over: the reader must not take it for whole. */
async function* inTime(begin: readonly string[], rest: Iterable<string>): AsyncGenerator<string, void> {
  const end = performance.now() + LIMIT_MS;
  yield* begin;
  for (const piece of rest) {
    await turn();
    if (performance.now() > end) throw new Error('the reader of a list took too long');
    yield piece;
  }
}

/**
 * Sends a list of any length. Of a long one, only what the reader takes is printed: many of them at once would not fit
 * into memory.
 */
export function sendList(reply: FastifyReply, answer: ListAnswer): FastifyReply {
  reply.type('application/json; charset=utf-8');
  const pieces = printedPieces(answer);
  const [first, second] = [pieces.next(), pieces.next()];
  const begin = [first, second].flatMap(({ value }) => value ?? []);
  if (second.done === true) return reply.send(begin.join(''));
  return reply.send(Readable.from(inTime(begin, pieces), { objectMode: false }));
}
