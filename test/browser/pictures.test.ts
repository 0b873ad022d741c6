import { expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { fixture } from '../support/fixture.js';
import { describeInBrowser, open, picture, type Opened } from './browser.js';
import { NAMESPACE } from './shop-objects.js';
import { openShop, type Shop } from './shop.js';
import { expectSound, signIn, widthOf } from './visit.js';

const SAME = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;
const WIDE = { viewport: { width: 1_280, height: 720 } };
/** All columns of the first page. */
const WIDER = { viewport: { width: 1_440, height: 720 } };
const NARROW = { viewport: { width: 320, height: 1_000 } };
const CHECKOUT = `/applications/${NAMESPACE}/checkout`;
const TEMPLATE = `/templates/${NAMESPACE}/HelmTemplate/web-service`;
const CHECK = 'Check what this will do';

describeInBrowser('the pictures of the docs', () => {
  const setting = fixture<Shop>(openShop, (shop) => shop.close());

  async function visit(path: string, options: BrowserContextOptions = WIDE): Promise<Opened> {
    const { browser, console, token } = setting;
    const url = `http://127.0.0.1:${console.port}${path}`;
    const opened = await open(browser, url, { ...SAME, ...options });
    await signIn(opened.page, token);
    return opened;
  }

  /** The page is sound, has no address of this machine, and has its picture. */
  async function keep(opened: Opened, name: string): Promise<void> {
    const { page } = opened;
    await page.evaluate('document.activeElement?.blur()');
    await expectSound(opened);
    expect(await widthOf(page)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    expect(await page.locator('body').innerText()).not.toMatch(/127\.0\.0\.1|localhost|\/tmp\//);
    await picture(page, `dashboard${name}`);
    expect(existsSync(`docs/images/dashboard${name}.png`)).toBe(true);
  }

  const heading = (page: Page, name: string | RegExp): Promise<void> =>
    page.getByRole('heading', { name }).first().waitFor();
  const put = async (page: Page, label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(label, { exact: true }).blur();
  };
  const top = (page: Page): Promise<unknown> => page.evaluate('scrollTo(0, 0)');

  it.each(['light', 'dark'] as const)('are all Applications by clusters, and one of them, %s', async (colorScheme) => {
    const opened = await visit('/', { ...WIDER, colorScheme });
    const { page } = opened;
    await page.getByText('8 of 8 Applications').waitFor();
    await keep(opened, `-${colorScheme}`);
    await page.setViewportSize(WIDE.viewport);
    await page.getByRole('link', { name: 'checkout' }).click();
    await heading(page, 'Destinations, worst first (4)');
    await keep(opened, `-application-${colorScheme}`);
  });

  it('are the pod that fails, with its log', async () => {
    const opened = await visit(`${CHECKOUT}/tree?cluster=eu-2`);
    const { page } = opened;
    await page
      .getByRole('button', { name: /Pod checkout-/ })
      .first()
      .click();
    await page.getByText('FATAL 1.5.0 needs an encrypted connection').waitFor();
    await keep(opened, '-tree');
  });

  it('are its history, its rollout, its values and its differences', async () => {
    const opened = await visit(`${CHECKOUT}/history`);
    const { page } = opened;
    const view = (name: string): Promise<void> =>
      page.getByRole('navigation', { name: 'Views of the Application' }).getByRole('link', { name }).click();
    await page.getByText('SHOP-517: new payment page').waitFor();
    await keep(opened, '-history');
    await view('Rollout');
    await heading(page, /europe: /);
    await keep(opened, '-rollout');
    await page.setViewportSize({ width: 1_280, height: 760 });
    await view('Values');
    await page.getByLabel('Cluster').selectOption('eu-2');
    await page.getByText('database.sslMode').first().waitFor();
    await keep(opened, '-values');
    await view('Differences');
    await page.getByRole('button', { name: 'Find the next that differs' }).click();
    await page.locator('.compared del').first().waitFor();
    await page.evaluate(`document.querySelector('section[aria-labelledby=live]').scrollIntoView()`);
    await keep(opened, '-differences');
  });

  it('are the review of a change that uninstalls', async () => {
    const opened = await visit(`/applications/${NAMESPACE}/catalog/edit`);
    const { page } = opened;
    const entry = (index: number) => page.locator('.destinations > li').nth(index);
    await entry(2).locator('summary').click();
    await page.getByRole('button', { name: 'Remove destination 3' }).click();
    await entry(0).locator('summary').click();
    await put(page, 'Values of destination 1', 'host: catalog.eu-1.shop.example\nreplicas: 5\ncache:\n  size: 128Mi\n');
    await page.getByRole('button', { name: CHECK }).click();
    await heading(page, /1 release would be uninstalled|1 release would be deleted/);
    await heading(page, '1 release would be changed');
    await keep(opened, '-review');
  });

  it('are the form of a new Application beside its YAML', async () => {
    const opened = await visit(`/new?namespace=${NAMESPACE}&name=wishlist`);
    const { page } = opened;
    await put(page, 'Name of the source', 'shop-charts');
    await put(page, 'Chart', 'web');
    await put(page, 'Version', '1.4.x');
    await put(page, 'Target namespace', NAMESPACE);
    await put(page, 'Values of destination 1', 'host: wishlist.shop.example\nreplicas: 2\n');
    await top(page);
    await keep(opened, '-create');
  });

  it('are the templates, and the form of one', async () => {
    const opened = await visit('/templates');
    const { page } = opened;
    await page.getByText('3 templates', { exact: true }).waitFor();
    await keep(opened, '-templates');
    await page.goto(new URL(`${TEMPLATE}/use`, page.url()).href);
    await put(page, 'Namespace', NAMESPACE);
    await put(page, 'Name', 'wishlist');
    await page.getByLabel('host (required)').fill('wishlist.shop.example');
    await top(page);
    await keep(opened, '-template-use');
  });

  it('are the clusters', async () => {
    const opened = await visit('/clusters');
    const { page } = opened;
    await page.getByText('6 clusters', { exact: true }).waitFor();
    await keep(opened, '-clusters');
  });

  it('are a phone', async () => {
    const opened = await visit('/', NARROW);
    const { page } = opened;
    await page.getByText('8 of 8 Applications').waitFor();
    await keep(opened, '-narrow');
    await page.goto(new URL(CHECKOUT, page.url()).href);
    await heading(page, 'Destinations, worst first (4)');
    await keep(opened, '-application-narrow');
  });
});
