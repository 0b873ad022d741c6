import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TLSSocket } from 'node:tls';
import { median, ratio } from './figures.js';
import { type Bench, withHost } from './harness.js';
import { bareClient, rateOf, type Bare, type Rate } from './requests.js';

const ROUNDS = 3;
const OBJECTS = 100;
const COLLECTION = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, turn: number): string {
  const data = { turn: `${turn}`, value: 'x'.repeat(400) };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}

interface Client {
  readonly get: (index: number) => Promise<unknown>;
  readonly apply: (index: number) => Promise<unknown>;
}

function clientOf(bare: Bare): Client {
  const nameOf = (index: number): string => `protocols-${index % OBJECTS}`;
  // A value that changes with each request, or the server has nothing to write.
  let turn = 0;
  return {
    get: async (index): Promise<unknown> => JSON.parse(await bare.send('GET', `${COLLECTION}/${nameOf(index)}`)),
    apply: (index) => {
      const name = nameOf(index);
      const path = `${COLLECTION}/${name}?fieldManager=bench&force=true`;
      return bare.send('PATCH', path, configMap(name, (turn += 1)));
    },
  };
}

/** What the server and this client agreed on (ALPN), seen at the first connection. */
async function negotiated(bare: Bare): Promise<string> {
  const agreed = new Set<string>();
  // What undici publishes here.
  const see = (message: unknown): void => {
    agreed.add(String((message as { socket: TLSSocket }).socket.alpnProtocol));
  };
  subscribe('undici:client:connected', see);
  await bare.send('GET', '/version');
  unsubscribe('undici:client:connected', see);
  return [...agreed].join();
}

type Rounds = Record<'http1' | 'http2', Rate[]>;

function figuresOf({ http1, http2 }: Rounds): Record<string, unknown> {
  const of = (rates: readonly Rate[], figure: keyof Rate): number =>
    Math.round(median(rates.map((rate) => rate[figure])));
  const one = { perSecond: of(http1, 'perSecond'), cpuMicrosPerRequest: of(http1, 'cpuMicrosPerRequest') };
  const two = { perSecond: of(http2, 'perSecond'), cpuMicrosPerRequest: of(http2, 'cpuMicrosPerRequest') };
  return {
    http1: one,
    http2: two,
    ratioRate: ratio(two.perSecond, one.perSecond),
    ratioCpu: ratio(two.cpuMicrosPerRequest, one.cpuMicrosPerRequest),
  };
}

/**
 * HTTP/2 (one connection) compared with HTTP/1.1 (one connection per parallel request), in turn, on the same server.
 */
export const protocolsBench: Bench = ({ full }) =>
  withHost(async ({ world: { host } }) => {
    const requests = full ? 5_000 : 1_000;
    const bares = {
      http1: await bareClient(host.kubeconfig),
      http2: await bareClient(host.kubeconfig, { allowH2: true, connections: 1, pipelining: 100 }),
    };
    const clients = { http1: clientOf(bares.http1), http2: clientOf(bares.http2) };
    const protocols = { http1: await negotiated(bares.http1), http2: await negotiated(bares.http2) };
    const measure = async (what: keyof Client): Promise<Record<string, unknown>> => {
      const rounds: Rounds = { http1: [], http2: [] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const protocol of ['http1', 'http2'] as const) {
          const rate = await rateOf(requests, clients[protocol][what]);
          if (round > 0) rounds[protocol].push(rate); // The first round warms up.
        }
      }
      return figuresOf(rounds);
    };
    const apply = await measure('apply');
    const get = await measure('get');
    await Promise.all([bares.http1.close(), bares.http2.close()]);
    return { requestsPerRound: requests, rounds: ROUNDS, protocols, get, apply };
  });
