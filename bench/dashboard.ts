import type { Browser, CDPSession, Page } from 'playwright-core';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { median, ratio } from './figures.js';
import { type Bench, forEach } from './harness.js';
import { applicationOf, createWithStatus } from './objects.js';
import { withDashboard } from './with-dashboard.js';

/** A screen of 60 Hz. */
const FRAME_MS = 1_000 / 60;

/** How smooth something was. */
interface Smoothness {
  readonly frames: number;
  /** Moments of the screen at which no new frame was ready. */
  readonly dropped: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

/** Sums up the times between frames. */
export function smoothnessOf(times: readonly number[]): Smoothness {
  const missed = times.map((ms) => Math.max(0, Math.round(ms / FRAME_MS) - 1));
  return {
    frames: times.length,
    dropped: missed.reduce((sum, each) => sum + each, 0),
    medianMs: Math.round(median(times)),
    worstMs: Math.round(Math.max(0, ...times)),
  };
}

const NAMESPACE = 'shop';
const CLUSTERS = 50;
const SIZES = { short: 2_000, full: 10_000 };
const AT = '2026-01-01T00:00:00Z';
const VIEWPORT = { width: 1_600, height: 900 };
const LIMIT_MS = 180_000;
/** In turns: what else the machine does disturbs both in the same way. All of them are longer than a page waits. */
const TURNS = 4;
const TURN_MS = 3_000;
/** What any page drops on this machine: a box of the same size that is empty. */
const EMPTY_PAGE = `<style>.matrix { height: 600px; overflow: auto }</style>
  <div class="matrix"><div style="width: 8000px; height: 440000px"></div></div>`;
const ROW = '.matrix [role=rowheader]';

/** One of forty destinations has failed, others move. */
function stateOf(app: number, cluster: number): string {
  const roll = (app * 31 + cluster * 17) % 200;
  if (roll < 5) return 'Failed';
  if (roll < 15) return 'Progressing';
  return roll < 18 ? 'Unreachable' : 'Ready';
}

function application(index: number): Application {
  const deploy = [{ destination: { targetNamespace: 'web' } }];
  const metadata = { name: `app-${String(index).padStart(5, '0')}`, namespace: NAMESPACE };
  return applicationOf({ metadata, chart: { chart: 'web' }, deploy });
}

function statusOf(index: number): object {
  const destinations = Array.from({ length: CLUSTERS }, (_, at) => {
    const cluster = `cluster-${String(at).padStart(2, '0')}`;
    const state = stateOf(index, at);
    return { name: `${cluster}-web`, cluster, namespace: 'web', release: 'web', state, revision: '1.5.0' };
  });
  const ready = destinations.filter(({ state }) => state === 'Ready').length;
  const isReady = ready === CLUSTERS;
  const [reason, message] = isReady ? ['AllReady', 'all are ready'] : ['DestinationsFailed', 'the upgrade failed'];
  const status = isReady ? 'True' : 'False';
  return {
    conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime: AT }],
    summary: { desired: CLUSTERS, ready: `${ready}/${CLUSTERS}` },
    revision: '1.5.0',
    destinations,
  };
}

async function fill(kube: Kube, applications: number): Promise<void> {
  await forEach(applications, (index) => createWithStatus(kube, application(index), statusOf(index)));
}

interface Opened {
  readonly page: Page;
  /** Has nothing but a box that scrolls. */
  readonly empty: Page;
  readonly devtools: CDPSession;
  /** Of all answers, as they came, since the last call. */
  readonly bytes: () => number;
  /** Whom the page asked. */
  readonly origins: Set<string>;
}

/** Signed in, and on another page, with nothing in the browser's cache. */
async function openBrowser(browser: Browser, link: string): Promise<Opened> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const empty = await context.newPage();
  await empty.setContent(EMPTY_PAGE);
  const origins = new Set<string>();
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(link);
  await page.locator(ROW).first().waitFor();
  const devtools = await context.newCDPSession(page);
  let sum = 0;
  await devtools.send('Network.enable');
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (sum += encodedDataLength));
  const bytes = (): number => {
    const before = sum;
    sum = 0;
    return before;
  };
  await page.goto(`${new URL(link).origin}/nowhere`);
  await devtools.send('Network.clearBrowserCache');
  return { page, empty, devtools, bytes, origins };
}

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().at(-1).startTime)).observe({ type: 'paint', buffered: true }))`;

/** Milliseconds since the navigation at which the page shows something, and at which it shows its rows. */
async function load({ page, bytes }: Opened, address: string): Promise<Record<string, number>> {
  bytes();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator(ROW).first().waitFor();
  const usable = await page.evaluate<number>('performance.now()');
  return {
    firstPaintMs: Math.round(await page.evaluate<number>(FIRST_PAINT)),
    usableMs: Math.round(usable),
    wireKiB: Math.round(bytes() / 1_024),
  };
}

/** Milliseconds of processor time that the page's own thread has used: other programs do not add to it. */
async function busyMs({ devtools }: Opened): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}

/** Scrolls in each frame, down and up again, and gives the times between frames. */
async function frameTimes(page: Page, pixels: number): Promise<number[]> {
  await page.bringToFront();
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const box = document.querySelector('.matrix');
    const times = [];
    const end = performance.now() + ${TURN_MS};
    let [last, step] = [0, ${pixels}];
    const next = (now) => {
      if (last > 0) times.push(now - last);
      last = now;
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) step = -${pixels};
      if (box.scrollTop <= 0) step = ${pixels};
      box.scrollTop += step;
      if (now < end) requestAnimationFrame(next); else resolve(times);
    };
    requestAnimationFrame(next);
  })`);
}

async function scroll(opened: Opened, pixels: number): Promise<Record<string, unknown>> {
  const [matrix, empty]: [number[], number[]] = [[], []];
  let busy = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    empty.push(...(await frameTimes(opened.empty, pixels)));
    const before = await busyMs(opened);
    matrix.push(...(await frameTimes(opened.page, pixels)));
    busy += (await busyMs(opened)) - before;
  }
  return { ...smoothnessOf(matrix), busyMsPerFrame: ratio(busy, matrix.length), emptyPage: smoothnessOf(empty) };
}

async function memory({ devtools, page }: Opened): Promise<Record<string, number>> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  const elements = await page.evaluate<number>('document.getElementsByTagName("*").length');
  return { heapMiB: Math.round(heap / 2 ** 20), elements };
}

/** An Application changes each second, so that each answer is new. */
async function whileChanging<T>(kube: Kube, measure: () => Promise<T>): Promise<T> {
  let round = 0;
  const name = application(0).metadata.name;
  const timer = setInterval(() => {
    round += 1;
    const body = { status: { revision: `1.5.${round}` } };
    const type = 'merge' as const;
    void kube.patch(applicationResource, { name, namespace: NAMESPACE }, { type, body }, { subresource: 'status' });
  }, 1_000);
  try {
    return await measure();
  } finally {
    clearInterval(timer);
  }
}

/** Milliseconds from a key to the rows that it leaves. */
async function search({ page }: Opened): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const box = document.querySelector('input[type=search]');
    const start = performance.now();
    box.value = 'app-00042';
    box.dispatchEvent(new Event('input', { bubbles: true }));
    const look = () => document.querySelectorAll('${ROW}').length === 1
      ? resolve(Math.round(performance.now() - start)) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  })`);
}

async function measure(opened: Opened, kube: Kube, address: string): Promise<Record<string, unknown>> {
  const first = await load(opened, address);
  const again = await load(opened, address);
  const loadBusyMs = Math.round(await busyMs(opened));
  opened.bytes();
  const still = { ...(await scroll(opened, 44)), wireKiB: Math.round(opened.bytes() / 1_024) };
  const fast = await scroll(opened, 2_000);
  opened.bytes();
  const changing = await whileChanging(kube, () => scroll(opened, 44));
  const wireKiB = Math.round(opened.bytes() / 1_024);
  return {
    ...{ first, again, loadBusyMs, scrolling: still, scrollingFast: fast },
    scrollingWhileChanging: { ...changing, wireKiB },
    ...{ searchMs: await search(opened), memory: await memory(opened) },
    requestsToOthers: [...opened.origins].filter((origin) => origin !== address).length,
  };
}

/** The dashboard in a real browser, served by the real server, which reads a real API server. */
export const dashboardBench: Bench = async ({ full }) => {
  const applications = full ? SIZES.full : SIZES.short;
  return withDashboard(
    NAMESPACE,
    (kube) => fill(kube, applications),
    async ({ kube, browser, console, link }) => {
      const figures = await measure(await openBrowser(browser, await link()), kube, console.address);
      return { applications, clusters: CLUSTERS, browser: browser.version(), ...figures };
    },
  );
};
