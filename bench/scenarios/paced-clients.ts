import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import { quantile } from '../figures.js';

/** What the clients ask, each with a connection and headers of its own. */
export interface PacedOrder {
  readonly origin: string;
  /** Requests per second of all clients together. */
  readonly perSecond: number;
  readonly seconds: number;
  /** In turns; each client has some paths, also in turns. */
  readonly clients: readonly {
    readonly headers: Readonly<Record<string, string>>;
    readonly paths: readonly string[];
  }[];
}

export interface PacedReport {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly bytesPerAnswer: number;
  /** How late the clients themselves were: larger figures would say that they measure themselves. */
  readonly lateP99Ms: number;
}

interface Sample {
  readonly ms: number;
  readonly lateMs: number;
  readonly bytes: number;
  readonly isFailed: boolean;
}

async function sampleOf(
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<Sample, 'lateMs'>> {
  const startedAt = performance.now();
  const request: Dispatcher.RequestOptions = { method: 'GET', path, headers };
  const { statusCode, body } = await client.request(request);
  let bytes = 0;
  for await (const chunk of body) bytes += (chunk as Buffer).length;
  return { ms: performance.now() - startedAt, bytes, isFailed: statusCode !== 200 };
}

async function run({ origin, perSecond, seconds, clients }: PacedOrder): Promise<PacedReport> {
  const connections = clients.map(() => new Client(origin, { pipelining: 1 }));
  const samples: Promise<Sample>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const dueMs = startedAt + (index * 1_000) / perSecond;
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 0) await delay(aheadMs);
    const lateMs = Math.max(0, performance.now() - dueMs);
    const turn = index % clients.length;
    const [client, connection] = [clients[turn], connections[turn]];
    if (client === undefined || connection === undefined) throw new Error('there are no clients');
    const path = client.paths[Math.floor(index / clients.length) % client.paths.length] ?? '/';
    samples.push(sampleOf(connection, path, client.headers).then((sample) => ({ ...sample, lateMs })));
  }
  const all = await Promise.all(samples);
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(connections.map((connection) => connection.close()));
  const [ms, late] = [all.map((sample) => sample.ms), all.map((sample) => sample.lateMs)];
  return {
    requests: all.length,
    failed: all.filter(({ isFailed }) => isFailed).length,
    ...{ p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99), lateP99Ms: quantile(late, 0.99) },
    perSecond: Math.round(all.length / tookSeconds),
    bytesPerAnswer: Math.round(all.reduce((sum, { bytes }) => sum + bytes, 0) / all.length),
  };
}

// A child process: an order comes, a report goes.
process.on('message', (order: PacedOrder) => {
  run(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ problem: String(error) }),
  );
});
