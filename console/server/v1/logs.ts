import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { openLog, readPods } from '#controllers/member-read/read-logs.js';
import { problemOf } from '#controllers/member-read/read-destination.js';
import type { DestinationView } from '#controllers/read-model/application-view.js';
import { logSources, type LogSource } from '#controllers/read-model/log-selection.js';
import { apiStatusOf } from '#controllers/runtime/pure/errors.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import type { LogsQuery } from '../model/member-query.js';
import { Refusal } from '../model/refusal.js';
import { LOOKUP_LIMITS, type MemberReading } from './member-reading.js';

/** Of one answer; who wants more reads it with the tools of the cluster. */
const MOST_BYTES = 16 * 1024 * 1024;
const NAMED = 10;
/** What the API server of a cluster decided; all others are failures of the way to it. */
const DECISIONS: readonly number[] = [400, 403, 404];

/** The one container that is chosen. Throws a Refusal that says what there is. */
async function chosen(reading: MemberReading, query: LogsQuery): Promise<[LogSource, DestinationView]> {
  const { host, application, destinations, offload, signal } = reading;
  const found = await readPods(host, application, destinations, { ...LOOKUP_LIMITS, offload, signal, pod: query.pod });
  const selected = logSources(found, query, { most: 1, spell: (field) => field });
  if ('refused' in selected) {
    const problems = found.filter(({ problem }) => problem !== '').map((each) => `${each.cluster}: ${each.problem}`);
    const known = found.some(({ pods }) => pods.length > 0);
    const notRead = problems.length === 0 ? '' : `; not read: ${listed(problems, NAMED)}`;
    throw new Refusal(known ? 400 : 404, `${application.metadata.name}: ${selected.refused}${notRead}`);
  }
  const [source] = selected.sources;
  const destination = destinations.find(({ child }) => child === source?.child);
  if (source === undefined || destination === undefined) throw new Refusal(404, 'not found');
  return [source, destination];
}

/** As much as one answer has. What ends because the user is gone, or because its time is over, is no failure. */
async function* bounded(chunks: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  let left = MOST_BYTES;
  try {
    for await (const chunk of chunks) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
  } catch (error: unknown) {
    if (!signal.aborted) throw error;
  }
}

/** Sends what the container prints, read with the rights of the user. */
export async function sendLog(reading: MemberReading, query: LogsQuery, reply: FastifyReply): Promise<FastifyReply> {
  const { host, application, signal } = reading;
  const [source, destination] = await chosen(reading, query);
  const { namespace = '' } = application.metadata;
  const { follow, previous, tail } = query;
  const options = { host, namespace, signal, follow, previous, tail };
  const chunks = await openLog(source, destination, options).catch((cause: unknown) => {
    const { cluster, pod, container } = source;
    const code = apiStatusOf(cause)?.code ?? 0;
    const message = `not read: ${cluster} ${pod}/${container}: ${problemOf(cause, host)}`;
    throw new Refusal(DECISIONS.includes(code) ? code : 503, message, { cause });
  });
  reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8');
  return reply.send(Readable.from(bounded(chunks, signal)));
}
