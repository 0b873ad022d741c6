import { expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import type { Page } from 'playwright-core';
import type { OverviewUpdate } from '#queries/answers/application.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, widthOf, type Visitors } from './visit.js';

const CLUSTERS = 300;
const OTHERS = 70;
/** As long as the API server allows. */
const LONG = `long-${'x'.repeat(248)}`;
const clusterOf = (index: number): string => `cluster-${String(index).padStart(3, '0')}`;
const worstCluster = clusterOf(CLUSTERS - 1);
/** Nothing is bad there, and its name comes last. */
const lastCluster = clusterOf(CLUSTERS - 2);

const STATE = { isReady: false, reason: 'DestinationsFailed', message: 'it failed' };
const WIDE: Story = {
  ...{ name: LONG, ...STATE },
  rows: Array.from({ length: CLUSTERS }, (_, index) => ({
    cluster: clusterOf(index),
    state: index === CLUSTERS - 1 ? 'Unreachable' : 'Ready',
  })),
};
const small = (index: number, state = 'Ready'): Story => ({
  ...{ name: `app-${String(index).padStart(2, '0')}`, ...STATE, isReady: state === 'Ready' },
  rows: [{ cluster: clusterOf(index), state }],
});

/** Pixels. */
interface Box {
  readonly left: number;
  readonly right: number;
}

async function gatherMany(): Promise<Visitors> {
  const visitors = await gatherVisitors('many');
  const limit = pLimit(10);
  const stories = [WIDE, ...Array.from({ length: OTHERS }, (_, index) => small(index))];
  await Promise.all(stories.map((story) => limit(tell, visitors.kube, visitors.namespace, story)));
  await eventually(() => expect(visitors.plain.applications.list()).toHaveLength(stories.length));
  return visitors;
}

describeInBrowser('a matrix of many rows and columns', () => {
  const setting = fixture<Visitors>(gatherMany, dismissVisitors);
  const isComplete = (page: Page) => page.getByText(`${OTHERS + 1} of ${OTHERS + 1} Applications`).waitFor();
  const focused = (page: Page) => page.locator(':focus');
  const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const scrollTo = (page: Page, to: { left: number; top: number }): Promise<void> =>
    page.evaluate(`document.querySelector('.matrix').scrollTo(${JSON.stringify(to)})`);
  /** True if nobody has to scroll to see it. */
  const isSeen = (page: Page): Promise<boolean> =>
    page.evaluate(`(() => {
      const { left, right, top, bottom } = document.activeElement.getBoundingClientRect();
      const box = document.querySelector('.matrix').getBoundingClientRect();
      const at = document.elementFromPoint((left + Math.min(right, box.right)) / 2, (top + bottom) / 2);
      return left >= box.left && bottom <= box.bottom && document.activeElement.contains(at);
    })()`);
  const enter = async (page: Page): Promise<void> => {
    await page.getByText('Columns: all clusters').focus();
    await page.keyboard.press('Tab');
  };

  it('draws the cells that can be seen, and says how many there are', async () => {
    const opened = await openAs(setting, 'viewer', '/');
    const { page } = opened;
    await isComplete(page);
    const grid = page.getByRole('grid', { name: 'Applications by clusters' });
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(OTHERS + 2));
    expect(await grid.getAttribute('aria-colcount')).toBe(String(CLUSTERS + 3));
    expect(await page.getByRole('gridcell').count()).toBeLessThan(500);
    await expectSound(opened);
    const row = page.getByRole('row').filter({ hasText: LONG });
    expect(await row.getByRole('link', { name: LONG }).getAttribute('title')).toBe(`${setting.namespace}/${LONG}`);
    expect(await page.getByRole('columnheader').nth(3).innerText()).toBe(worstCluster);
    expect(await row.locator('[aria-colindex="4"]').innerText()).toBe('✗ Unreachable');
    await scrollTo(page, { left: 1e6, top: 0 });
    const head = page.getByRole('columnheader', { name: lastCluster });
    await head.waitFor();
    expect(await head.getAttribute('aria-colindex')).toBe(String(CLUSTERS + 3));
    expect(await page.getByRole('gridcell').count()).toBeLessThan(500);
    await scrollTo(page, { left: 0, top: 1e6 });
    await page.getByRole('link', { name: `app-${OTHERS - 1}` }).waitFor();
    await expectSound(opened);
  });

  it('has each cell within reach of the arrow keys, and one stop of Tab', async () => {
    const { page } = await openAs(setting, 'viewer', '/');
    await isComplete(page);
    await enter(page);
    expect(await focused(page).innerText()).toBe(`${setting.namespace}/${LONG}`);
    await press(page, 'Control+End');
    await page.locator(`[aria-rowindex="${OTHERS + 2}"] > [aria-colindex="${CLUSTERS + 3}"]:focus`).waitFor();
    expect(await isSeen(page)).toBe(true);
    await press(page, 'Home', 'ArrowUp');
    expect(await focused(page).innerText()).toBe(`${setting.namespace}/app-${OTHERS - 2}`);
    expect(await isSeen(page)).toBe(true);
    await press(page, 'PageUp', 'PageUp', 'Control+Home', 'ArrowUp', 'End');
    await page.getByRole('button', { name: lastCluster }).and(focused(page)).waitFor();
    expect(await isSeen(page)).toBe(true);
    await press(page, 'Enter');
    await page.waitForURL(new RegExp(`sort=cluster%3A${lastCluster}`));
    await press(page, 'ArrowDown', 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter');
    await page.waitForURL(/\/tree\?cluster=/);
    await page.goBack();
    await isComplete(page);
    await enter(page);
    await press(page, 'Tab');
    expect(await page.locator('.matrix :focus').count()).toBe(0);
    await press(page, 'Shift+Tab');
    expect(await page.locator('.matrix :focus').count()).toBe(1);
  });

  it('cuts a namespace, and not the name behind it', async () => {
    for (const width of [1_600, 320]) {
      const { page } = await openAs(setting, 'viewer', '/', { viewport: { width, height: 640 } });
      await isComplete(page);
      // As in a namespace whose name takes all the room.
      const link = `[...document.querySelectorAll('.matrix a')].find((each) => each.innerText.endsWith('/app-00'))`;
      await page.evaluate(`(${link}).firstChild.textContent = '${'n'.repeat(63)}/'`);
      const [box, name] = await page.evaluate<[Box, Box]>(`(() => {
        const link = ${link};
        const range = document.createRange();
        range.selectNode(link.lastChild);
        return [link.parentElement, range].map((each) => each.getBoundingClientRect().toJSON());
      })()`);
      expect(box.left <= name.left && name.right <= box.right).toBe(true);
    }
  });

  it('keeps the focus at an Application that is scrolled away, and that goes elsewhere', async () => {
    const { page } = await openAs(setting, 'viewer', '/?sort=name');
    await isComplete(page);
    await enter(page);
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown');
    const third = page.getByRole('link', { name: 'app-03' }).and(focused(page));
    await third.waitFor();
    await scrollTo(page, { left: 0, top: 1_000 });
    await page.getByRole('link', { name: 'app-30' }).waitFor();
    expect(await third.count()).toBe(1);
    await page.evaluate("history.pushState(null, '', '/?sort=worst'); dispatchEvent(new PopStateEvent('popstate'))");
    await tell(setting.kube, setting.namespace, small(3, 'Failed'));
    await page.getByRole('row').filter({ hasText: 'app-03' }).getByText('Failed').first().waitFor();
    expect(await third.count()).toBe(1);
    await page.locator('[aria-rowindex="3"]').filter({ has: third }).waitFor();
    await press(page, 'ArrowDown', 'ArrowUp');
    expect(await isSeen(page)).toBe(true);
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'app-03' }).waitFor();
    await tell(setting.kube, setting.namespace, small(3));
  });

  it('asks for no more than what changed', async () => {
    const { page } = await openAs(setting, 'viewer', '/');
    await isComplete(page);
    const ofOverview = (url: string): boolean => new URL(url).pathname === '/api/v1/overview';
    // The page asks once more when it begins to follow what changes.
    await page.waitForResponse((response) => ofOverview(response.url()));
    const update = page.waitForResponse((response) => ofOverview(response.url()));
    await tell(setting.kube, setting.namespace, small(5, 'Failed'));
    await page.getByRole('row').filter({ hasText: 'app-05' }).getByText('✗ Failed').first().waitFor();
    const { changed, removed } = (await (await update).json()) as OverviewUpdate;
    expect([changed.map(({ name }) => name), removed]).toEqual([['app-05'], []]);
    await isComplete(page);
    await tell(setting.kube, setting.namespace, small(5));
  });

  it('can be skipped', async () => {
    const opened = await openAs(setting, 'viewer', '/', { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    await isComplete(page);
    await page.evaluate('document.activeElement.blur()');
    await press(page, 'Tab');
    await page.getByRole('link', { name: 'Skip to the content' }).and(focused(page)).waitFor();
    await expectSound(opened);
    await press(page, 'Enter', 'Tab');
    expect(await page.locator('main .chip:focus').count()).toBe(1);
    const skip = page.getByRole('link', { name: 'Skip the Applications' });
    await skip.focus();
    await press(page, 'Enter', 'Tab');
    expect(await page.locator('.commands :focus').count()).toBe(1);
    expect(new URL(page.url()).hash).toBe('');
  });

  it('has room for a long name, and tells of a destination among hundreds, on 320 pixels', async () => {
    const viewport = { width: 320, height: 640 };
    const opened = await openAs(setting, 'viewer', '/', { viewport, colorScheme: 'dark' });
    const { page } = opened;
    await isComplete(page);
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await page.getByRole('link', { name: LONG }).click();
    await page.getByRole('heading', { name: `Destinations, worst first (${CLUSTERS})` }).waitFor();
    const first = page.locator('section[aria-labelledby=destinations] h3').first();
    expect(await first.innerText()).toBe(`✗ Unreachable ${worstCluster}`);
    expect(await widthOf(page)).toBeLessThanOrEqual(320);
    await expectSound(opened);
    const cards = page.locator('section[aria-labelledby=destinations] h3');
    expect(await cards.count()).toBe(50);
    await page.getByText(`and ${CLUSTERS - 50} more`).waitFor();
    await page.getByRole('button', { name: 'Show 200 more' }).click();
    await page.getByRole('button', { name: 'Show 50 more' }).click();
    expect(await cards.count()).toBe(CLUSTERS);
  });

  it('can be read in forced colours, and without motion', async () => {
    const opened = await openAs(setting, 'viewer', '/', { forcedColors: 'active', reducedMotion: 'reduce' });
    const { page } = opened;
    await isComplete(page);
    await enter(page);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    const borderWidth = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.querySelector('.chip')).borderTopWidth");
    expect(await borderWidth()).toBe('1px');
    await page.locator('.chip').first().click();
    await page.locator('.chip[aria-pressed=true]').first().waitFor();
    expect(await borderWidth()).toBe('2px');
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await expectSound(opened);
  });
});
