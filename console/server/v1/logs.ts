import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { openLog, readPods, type LogReader } from '#queries/members/read-logs.js';
import { problemOf } from '#queries/members/read-destination.js';
import type { DestinationView } from '#queries/answers/application.js';
import { logSources, type LogOptions, type LogSource } from '#queries/views/log-selection.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { listed } from '#lib/text/text.js';
import { linkSignals } from '#runtime/process/signals.js';
import type { LogsQuery } from '../../shared/member-query.js';
import { Refusal } from '../../shared/refusal.js';
import { untilRefused } from '../until-refused.js';
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
  if ('problem' in selected) {
    const problems = found.filter(({ problem }) => problem !== '').map((each) => `${each.cluster}: ${each.problem}`);
    const known = found.some(({ pods }) => pods.length > 0);
    const notRead = problems.length === 0 ? '' : `; not read: ${listed(problems, NAMED)}`;
    throw new Refusal(known ? 400 : 404, `${application.metadata.name}: ${selected.problem}${notRead}`);
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

/** How an answer is sent, and kept to those who may have it. */
export interface LogSending {
  readonly reply: FastifyReply;
  /** The host with the rights of the user, if he still is who he was and may read the Application. Throws a Refusal if not. */
  readonly again: () => Promise<Kube>;
  /** Milliseconds after which that is asked. */
  readonly recheckMs: number;
}

type Open = (
  options: Pick<LogReader & LogOptions, 'host' | 'signal' | 'follow' | 'tail'>,
) => ReturnType<typeof openLog>;

/** Asks for no line of it, with all rights that it takes. Throws what the client throws. */
async function askForNone(open: Open, host: Kube, signal: AbortSignal): Promise<void> {
  const limited = linkSignals([signal], LOOKUP_LIMITS.eachMs);
  try {
    for await (const chunk of await open({ host, signal: limited.signal, tail: 0 })) if (chunk.length > 0) break;
  } finally {
    limited.unlink();
  }
}

/** What is followed may say nothing for long: that its user may still read it is asked beside it. */
function whileReadable(open: Open, { again, recheckMs }: LogSending, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const linked = linkSignals([signal, over.signal]);
  const check = async (): Promise<void> => askForNone(open, await again(), linked.signal);
  void untilRefused(check, { signal: linked.signal, everyMs: recheckMs }).then((why) => {
    over.abort(why);
    linked.unlink();
  });
  return linked.signal;
}

/** What ends comes at once, or its cluster does not answer. */
async function begun(open: Open, options: Parameters<Open>[0]): ReturnType<Open> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), LOOKUP_LIMITS.eachMs);
  try {
    return await open({ ...options, signal: linkSignals([options.signal, late.signal]).signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Why it cannot be read, to be told. */
function refusalOf(error: unknown, { cluster, pod, container }: LogSource, host: Kube): Refusal {
  if (error instanceof Refusal) return error;
  const code = apiStatusOf(error)?.code ?? 0;
  const message = `not read: ${cluster} ${pod}/${container}: ${problemOf(error, host)}`;
  return new Refusal(DECISIONS.includes(code) ? code : 503, message, { cause: error });
}

/** Sends what the container prints, read with the rights of the user. */
export async function sendLog(reading: MemberReading, query: LogsQuery, sending: LogSending): Promise<FastifyReply> {
  const { host, application } = reading;
  const [source, destination] = await chosen(reading, query);
  const { namespace = '' } = application.metadata;
  const { follow, previous, tail } = query;
  const open: Open = (options) => openLog(source, destination, { namespace, previous, ...options });
  const signal = follow ? whileReadable(open, sending, reading.signal) : reading.signal;
  const opened = follow ? open({ host, signal, follow, tail }) : begun(open, { host, signal, follow, tail });
  const chunks = await opened.catch((error: unknown) => {
    // Unlike an abort for which nobody gave a reason, a refusal is the answer.
    const { reason } = signal as { reason?: unknown };
    throw refusalOf(reason instanceof DOMException ? error : (reason ?? error), source, host);
  });
  const { reply } = sending;
  reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8');
  return reply.send(Readable.from(bounded(chunks, signal)));
}
