import { afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { withTemplate } from '#test/apiserver/console/template-people.js';
import { fixture } from '#test/support/fixture.js';
import type { Story } from './applications.js';
import { describeInBrowser } from './browser.js';
import { dismissVisitors, gatherVisitors, openAs, signIn, urlOf, type Visitors } from './visit.js';

const WEB: Story = {
  ...{ name: 'web', isReady: true, reason: 'AllReady', message: 'all destinations are ready' },
  rows: [{ cluster: 'eu-1', state: 'Failed' }],
  more: {
    destinations: [
      {
        ...{ name: 'eu-1-app', cluster: 'eu-1', namespace: 'app', release: 'web', state: 'Failed' },
        child: { kind: 'HelmRelease', name: 'web-eu-1' },
      },
    ],
  },
};

interface PageRow {
  /** In the words of a path: `NS` is the namespace. */
  readonly path: string;
  /** What it cannot do without. */
  readonly asks: RegExp;
  /** Only there once it was answered. */
  readonly shows: RegExp;
}

const CHECK = /^Check what this will do$/;
const TEMPLATE = '/templates/NS/HelmTemplate/web';
const READ = /^Read at /;

const PAGES: readonly PageRow[] = [
  { path: '/', asks: /\/api\/v1\/overview$/, shows: /^1 of 1 Application$/ },
  { path: '/clusters', asks: /\/api\/v1\/clusters\b/, shows: /^\d+ clusters?$/ },
  { path: '/templates', asks: /\/api\/v1\/templates\b/, shows: /^1 template$/ },
  { path: TEMPLATE, asks: /\/api\/v1\/.*\/HelmTemplate\/web$/, shows: /^Namespaces that may use it$/ },
  { path: `${TEMPLATE}/use`, asks: /\/api\/v1\/.*\/HelmTemplate\/web$/, shows: CHECK },
  { path: '/applications/NS/web', asks: /\/api\/v1\/.*\/web$/, shows: /^Destinations, worst first/ },
  // Its user may read nothing on a cluster.
  { path: '/applications/NS/web/tree', asks: /\/api\/v1\/.*\/web\/tree\b/, shows: /forbidden/ },
  { path: '/applications/NS/web/events', asks: /\/api\/v1\/.*\/web\/events\b/, shows: READ },
  { path: '/applications/NS/web/values', asks: /\/api\/v1\/.*\/web\/values\b/, shows: READ },
  { path: '/applications/NS/web/history', asks: /\/api\/v1\/.*\/web\/history$/, shows: /^It keeps no revisions$/ },
  { path: '/applications/NS/web/edit', asks: /\/api\/v1\/.*\/web$/, shows: CHECK },
];
/** It asks only who is there. */
const NEW: PageRow = { path: '/new', asks: /\/session$/, shows: CHECK };

type Answer = (route: Route) => Promise<void>;
const withCode =
  (status: number): Answer =>
  (route) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify({ message: `said ${status}` }) });
const GONE: Answer = (route) => route.abort('connectionrefused');

/** With its title, or where there is little room with the text alone. */
const SAYS: readonly (readonly [Answer, RegExp])[] = [
  [withCode(403), /^(You may not see this|.*said 403)$/],
  [withCode(500), /^(The server could not answer|.*said 500)$/],
  [withCode(503), /^(The server is starting|.*said 503)$/],
  [GONE, /^(The server does not answer|.*It is asked again until it answers.*)$/],
];

describeInBrowser('the states of a page', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('states', [WEB]);
    await withTemplate(visitors);
    return visitors;
  }, dismissVisitors);
  let page: Page;

  beforeAll(async () => {
    ({ page } = await openAs(setting, 'member', '/'));
    await page.getByText('1 of 1 Application').waitFor();
  });

  afterEach(() => page.unrouteAll());

  const shown = ({ shows }: PageRow) => page.locator('main').getByText(shows).filter({ visible: true }).first();

  /** As long as it is asked for, it is answered so. */
  async function visit({ path, asks }: PageRow, answer: Answer): Promise<() => Promise<void>> {
    await page.route(asks, answer);
    await page.goto(urlOf(setting, path.replace('NS', setting.namespace)));
    return () => page.unroute(asks, answer);
  }

  it.each([...PAGES, NEW])('$path says that it waits, and then shows what came', async (row) => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = await visit(row, async (route) => {
      await held;
      await route.continue();
    });
    await page
      .getByText(/^(Loading|Reading)/)
      .first()
      .waitFor();
    expect(await page.locator('h1').count()).toBe(1);
    expect(await shown(row).count()).toBe(0);
    release();
    await shown(row).waitFor();
    await end();
  });

  it.each(PAGES)('$path says why it shows nothing', async (row) => {
    for (const [answer, title] of SAYS) {
      const end = await visit(row, answer);
      await page.locator('main').getByText(title).first().waitFor();
      expect(await shown(row).count()).toBe(0);
      await end();
    }
  });

  it.each([...PAGES, NEW])('$path comes by itself when the server is back', async (row) => {
    const failed = page.waitForEvent('requestfailed', (request) => row.asks.test(request.url()));
    const end = await visit(row, GONE);
    await failed;
    await end();
    await shown(row).waitFor();
  });

  it.each(PAGES)('$path goes on after its session was over', async (row) => {
    const end = await visit(row, withCode(401));
    await page.getByText('You were signed out').or(page.getByLabel('Bearer token')).first().waitFor();
    await end();
    await signIn(page, setting.tokens.member);
    await shown(row).waitFor();
  });

  it.each([
    ['no answer', GONE],
    ['no session', withCode(401)],
  ] as const)('the form of an Application that the page could read gets it later as well: %s', async (_, answer) => {
    const row: PageRow = { path: '/applications/NS/web/edit', asks: /\/api\/v1\/.*\/web$/, shows: CHECK };
    let asked = 0;
    const failed = page.waitForRequest((request) => row.asks.test(request.url()) && asked > 0);
    await visit(row, (route) => {
      asked += 1;
      return asked === 1 ? route.continue() : answer(route);
    });
    await failed;
    await page
      .getByText(/does not answer|You were signed out/)
      .first()
      .waitFor();
    await page.unrouteAll();
    if (answer !== GONE) await signIn(page, setting.tokens.member);
    await shown(row).waitFor();
  });

  it('names itself when nobody is signed in', async () => {
    await page.goto(urlOf(setting, `/applications/${setting.namespace}/web`));
    await page.getByText('Destinations, worst first').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.title()).toBe('Sign in · Fairlead');
  });
});
