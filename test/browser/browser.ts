import { afterEach, beforeEach, describe } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { NO_BROWSER } from '#bench/with-dashboard.js';

/** The pages that the test of this moment opened, with their own storage. */
const contexts = new Set<BrowserContext>();

/** A page that stays open follows all changes, and costs the tests after it time. */
async function closePages(): Promise<void> {
  await Promise.all([...contexts].map((context) => context.close()));
}

/**
 * Skipped, with the way out in its name, on a machine without a browser. What a test opens is closed after it; what is
 * opened before all tests stays.
 */
export function describeInBrowser(name: string, tests: () => void): void {
  if (NO_BROWSER !== undefined) {
    describe.skip(`${name} (${NO_BROWSER})`, tests);
    return;
  }
  describe(name, () => {
    beforeEach(() => contexts.clear());
    afterEach(closePages);
    tests();
  });
}

/** For what a page shows at once, on a slow and busy machine. */
const LIMIT_MS = 120_000;

export interface Opened {
  readonly page: Page;
  /** What the page and its policy complained about. */
  readonly complaints: string[];
  /** Addresses that it asked for something. */
  readonly asked: string[];
}

export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  // Nothing moves, as drawing takes much of a small machine.
  const still = { reducedMotion: 'reduce' } as const;
  const context = await browser.newContext({ viewport: { width: 1_600, height: 900 }, ...still, ...options });
  contexts.add(context);
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const [complaints, asked]: [string[], string[]] = [[], []];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A browser reports each answer of a server that is no success.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.goto(url);
  return { page, complaints, asked };
}

/** For axe: the levels of WCAG, and what its authors found to be good. */
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds, in short. */
export async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(LEVELS)} })`);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Keeps what is seen for the docs, if golden outputs are to be written. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_GOLDEN'] !== '1') return;
  await page.screenshot({ path: `docs/images/${name}.png`, animations: 'disabled' });
}
