import type { Page } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { median, quantile, ratio } from './figures.js';
import type { Bench } from './harness.js';
import { applicationOf } from './objects.js';
import { withDashboard, type Visited } from './with-dashboard.js';

const NAMESPACE = 'shop';
const NAME = 'long';
/** Of values: 900 KB as YAML of a destination. */
const LINES = 25_000;
const LIMIT_MS = 180_000;
/** In turns, as what else the machine does disturbs both in the same way. */
const TURNS = { short: 4, full: 20 };
const KEYS_PER_TURN = 10;
/** Longer than an editor waits for the next key before it reads a text of this length. */
const PAUSE_MS = 5_000;
/** As the editor has it, and nothing else. */
const BARE = '<textarea rows="36" wrap="off" spellcheck="false" style="width: 700px"></textarea>';

function application(): Application {
  const values = Object.fromEntries(
    Array.from({ length: LINES }, (_, at) => [`key${at}`, `value ${at} of an Application`.slice(0, 24)]),
  );
  const deploy = [{ destination: { targetNamespace: 'web' }, values }];
  return applicationOf({ metadata: { name: NAME, namespace: NAMESPACE }, chart: { chart: 'web' }, deploy });
}

/** Records how long each key takes until its frame is drawn, and each task in which the page does nothing else. */
const WATCH = `
  window.keys = [];
  window.tasks = [];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => window.keys.push(performance.now() - timeStamp);
    port2.postMessage(0);
  }), true);`;

/** Puts the cursor behind a line in the middle. */
const GO = `(() => {
  const area = [...document.querySelectorAll('textarea')].at(-1);
  const at = area.value.indexOf('\\n', area.value.length / 2);
  area.focus();
  area.setSelectionRange(at, at);
})()`;

async function type(page: Page): Promise<void> {
  await page.bringToFront();
  const before = await page.evaluate<number>('window.keys.length');
  await page.evaluate(GO);
  for (let key = 1; key <= KEYS_PER_TURN; key += 1) {
    await page.keyboard.press('x');
    // The policy of the page lets nothing be evaluated that waits by itself.
    await page.evaluate(`new Promise((resolve) => {
      const look = () => window.keys.length >= ${before + key} ? resolve() : requestAnimationFrame(look);
      look();
    })`);
  }
}

function keyFigures(keys: readonly number[]) {
  return { keys: keys.length, medianMs: Math.round(median(keys)), p99Ms: quantile(keys, 0.99) };
}

/** Milliseconds of the longest tasks while `act` goes on, and in the pause behind it. */
async function longestTasks(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate('window.tasks.length = 0');
  await act();
  await page.waitForTimeout(PAUSE_MS);
  const tasks = await page.evaluate<number[]>('window.tasks');
  return tasks
    .sort((a, b) => b - a)
    .slice(0, 3)
    .map(Math.round);
}

/** The form of the Application, by a click, so that only what the form needs is measured. */
async function openForm(page: Page, link: string): Promise<Record<string, unknown>> {
  page.setDefaultTimeout(LIMIT_MS);
  await page.goto(link);
  await page.getByRole('link', { name: NAME }).first().click();
  const edit = page.getByRole('link', { name: 'Edit' });
  await edit.waitFor();
  await page.evaluate(WATCH);
  let openMs = 0;
  const tasksMs = await longestTasks(page, async () => {
    const start = Date.now();
    await edit.click();
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    openMs = Date.now() - start;
  });
  return { openMs, tasksMs };
}

async function measure({ browser, link }: Visited, turns: number): Promise<Record<string, unknown>> {
  const context = await browser.newContext({ viewport: { width: 1_600, height: 900 } });
  const page = await context.newPage();
  const opening = await openForm(page, await link());
  const text = await page.getByRole('textbox', { name: 'YAML' }).inputValue();
  const bare = await context.newPage();
  await bare.setContent(BARE);
  await bare.evaluate(`document.querySelector('textarea').value = ${JSON.stringify(text)}`);
  const full = await bare.locator('textarea').inputValue();
  if (full !== text) throw new Error('the bare text area has another text');
  await bare.evaluate(WATCH);
  for (let turn = 0; turn < turns; turn += 1) {
    await type(bare);
    await type(page);
  }
  const [own, others] = [await page.evaluate<number[]>('window.keys'), await bare.evaluate<number[]>('window.keys')];
  const afterTyping = await longestTasks(page, () => type(page));
  return {
    ...{ characters: text.length, opening, typing: keyFigures(own), bareTextArea: keyFigures(others) },
    ...{ ratioTyping: ratio(median(own), median(others)), tasksAfterTypingMs: afterTyping },
  };
}

/** Typing into the YAML of an Application with 900 KB of values, beside a text area that does nothing. */
export const editorBench: Bench = async ({ full }) =>
  withDashboard(
    NAMESPACE,
    async (kube) => {
      await kube.create(applicationResource, application());
    },
    async (visited) => measure(visited, full ? TURNS.full : TURNS.short),
  );
