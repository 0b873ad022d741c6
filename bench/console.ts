import { request } from 'undici';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { quantile, ratio } from './figures.js';
import { type Bench, forEachOf, secondsOf, withCrds } from './harness.js';
import type { BareAnswers } from './scenarios/bare-server.js';
import { Child, costOf } from './scenarios/child.js';
import {
  createApplications,
  createReaders,
  endProcess,
  nameOf,
  namespaceOf,
  startConsoleProcess,
  type ConsoleProcess,
  type Reader,
} from './scenarios/console-world.js';
import type { PacedOrder, PacedReport } from './scenarios/paced-clients.js';
import { follow } from './scenarios/followers.js';

const SIZES = {
  short: { applications: 300, namespaces: 20, clients: 10, seconds: 3 },
  full: { applications: 10_000, namespaces: 100, clients: 50, seconds: 20 },
};
const WARM_SECONDS = 3;
type Size = (typeof SIZES)['short'];

interface Question {
  readonly name: string;
  /** Requests per second of all clients together. */
  readonly perSecond: number;
  readonly pathsOf: (reader: Reader, index: number) => readonly string[];
}

const KAPIS = '/kapis/gitops.kubesphere.io/v1alpha1';

function questions({ applications, namespaces }: Size): Question[] {
  const pages = ['', '&page=2', '&sort=-createdAt'].map((more) => `/api/v1/applications?limit=100${more}`);
  const filters = [
    'fieldSelector=state%3DFailed',
    'fieldSelector=cluster%3Dcluster-3',
    'labelSelector=tier%3Dt3',
    'search=99',
  ];
  const ofReader = (reader: Reader, index: number): string => reader.namespaces?.[0] ?? namespaceOf(index % namespaces);
  return [
    { name: 'list', perSecond: 100, pathsOf: () => pages },
    { name: 'filter', perSecond: 100, pathsOf: () => filters.map((each) => `/api/v1/applications?limit=50&${each}`) },
    {
      name: 'detail',
      perSecond: 200,
      pathsOf: (reader, index) => {
        const namespace = ofReader(reader, index);
        const first = Number(namespace.replace('team-', ''));
        const some = [0, 1, 2].map((step) => first + step * namespaces).filter((each) => each < applications);
        return some.map((each) => `/api/v1/namespaces/${namespace}/applications/${nameOf(each)}`);
      },
    },
    {
      name: 'kubesphereList',
      perSecond: 100,
      pathsOf: (reader, index) => [`${KAPIS}/namespaces/${ofReader(reader, index)}/applications?limit=10&page=1`],
    },
    { name: 'overview', perSecond: 20, pathsOf: () => ['/api/v1/overview'] },
  ];
}

function orderOf(origin: string, size: Size, readers: readonly Reader[], { perSecond, pathsOf }: Question): PacedOrder {
  const clients = readers.map((reader, index) => ({
    headers: { authorization: `Bearer ${reader.token}`, 'accept-encoding': 'gzip' },
    paths: pathsOf(reader, index),
  }));
  return { origin, perSecond, seconds: size.seconds, clients };
}

/** The same bytes for the same clients, from a server that has nothing else to do. */
async function bareOrder(order: PacedOrder): Promise<{ answers: BareAnswers; paths: readonly (readonly string[])[] }> {
  const answers: Record<string, { text: string; encoding: string }> = {};
  const paths: string[][] = [];
  for (const [index, { headers, paths: asked }] of order.clients.entries()) {
    const own: string[] = [];
    for (const [at, path] of asked.entries()) {
      const { body, headers: got } = await request(`${order.origin}${path}`, { headers });
      own.push(`/${index}/${at}`);
      const text = Buffer.from(await body.arrayBuffer()).toString('base64');
      answers[`/${index}/${at}`] = { text, encoding: String(got['content-encoding'] ?? '') };
    }
    paths.push(own);
  }
  return { answers, paths };
}

type Costed = PacedReport & { readonly cpuMsPerRequest: number };

async function measured(clients: Child, order: PacedOrder, server: Parameters<typeof costOf>[0]): Promise<Costed> {
  const before = await costOf(server);
  const report = await clients.ask<PacedReport>(order);
  const cpuSeconds = (await costOf(server)).cpuSeconds - before.cpuSeconds;
  return { ...report, cpuMsPerRequest: Math.round((cpuSeconds / report.requests) * 100_000) / 100 };
}

async function compared(clients: Child, order: PacedOrder, server: ConsoleProcess): Promise<object> {
  // Each client asks each of its paths: rights for single objects are not known before.
  await clients.ask<PacedReport>({ ...order, seconds: WARM_SECONDS });
  const own = await measured(clients, order, server.child);
  const { answers, paths } = await bareOrder(order);
  const bare = new Child('bare-server');
  const { port } = await bare.ask<{ port: number }>(answers);
  const asked = order.clients.map((client, index) => ({ ...client, paths: paths[index] ?? [] }));
  const same = { ...order, origin: `http://127.0.0.1:${port}`, clients: asked };
  await clients.ask<PacedReport>({ ...same, seconds: 1 });
  const least = await measured(clients, same, bare.process);
  await bare.end();
  return {
    ...own,
    ...{ bareP50Ms: least.p50Ms, bareP99Ms: least.p99Ms, bareCpuMsPerRequest: least.cpuMsPerRequest },
    ratioP99ToBare: ratio(own.p99Ms, least.p99Ms),
    ratioCpuToBare: ratio(own.cpuMsPerRequest, least.cpuMsPerRequest),
  };
}

/** All readers follow; how long a change takes from its write to each of those who may see it. */
async function streamed(kube: Kube, readers: readonly Reader[], size: Size, server: ConsoleProcess): Promise<object> {
  const followers = await follow(
    server.origin,
    readers.map(({ token }) => token),
  );
  const before = await costOf(server.child);
  const changes = 10 * size.seconds;
  for (let index = 0; index < changes; index += 1) {
    const ref = { name: nameOf(index), namespace: namespaceOf(index % size.namespaces) };
    const body = {
      metadata: { annotations: { 'example.org/sent': String(index) }, labels: { sent: String(Date.now()) } },
    };
    await kube.patch(applicationResource, ref, { type: 'merge', body });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const delays = await followers.end();
  const cpuSeconds = (await costOf(server.child)).cpuSeconds - before.cpuSeconds;
  return {
    ...{ changes, readers: readers.length, events: delays.length },
    ...{ p50Ms: quantile(delays, 0.5), p99Ms: quantile(delays, 0.99) },
    cpuMsPerEvent: Math.round((cpuSeconds / delays.length) * 100_000) / 100,
  };
}

/** Until each reader has his first list of all namespaces, all of them at once: nothing is known of them. */
async function firstAnswers({ origin }: ConsoleProcess, readers: readonly Reader[]): Promise<number> {
  const first = async ({ token }: Reader): Promise<void> => {
    const { body } = await request(`${origin}/api/v1/applications`, { headers: { authorization: `Bearer ${token}` } });
    await body.dump();
  };
  return Math.round((await secondsOf(() => forEachOf(readers, first, Infinity))) * 10) / 10;
}

async function measure(world: World, kube: Kube, size: Size): Promise<Record<string, unknown>> {
  await createApplications(kube, size.applications, size.namespaces);
  const readers = await createReaders(kube, size.clients, size.namespaces);
  const server = await startConsoleProcess(world.host.kubeconfig);
  const clients = new Child('paced-clients');
  try {
    const startMiB = (await costOf(server.child)).rssMiB;
    const coldSeconds = await firstAnswers(server, readers);
    const figures: Record<string, unknown> = {};
    for (const question of questions(size)) {
      figures[question.name] = await compared(clients, orderOf(server.origin, size, readers, question), server);
    }
    const stream = await streamed(kube, readers, size, server);
    const { rssMiB, peakMiB } = await costOf(server.child);
    return { coldSeconds, ...figures, stream, memory: { startMiB, rssMiB, peakMiB } };
  } finally {
    await clients.end();
    await endProcess(server);
  }
}

/**
 * The console server with many Applications and users: what its answers take, beside a web server that only sends the
 * same bytes to the same clients at the same pace. One user of five may read everything, the others three namespaces.
 */
export const consoleBench: Bench = ({ full }) =>
  withCrds(async ({ world, kube }) => {
    const size = full ? SIZES.full : SIZES.short;
    return { ...size, ...(await measure(world, kube, size)) };
  });
