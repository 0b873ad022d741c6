import { afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { PAGES as PATHS } from '#console/shared/pages.js';
import { placeOf } from '#console/web/navigation/model/place.js';
import { withTemplate } from '../apiserver/console/template-people.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
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

/** Deployed nowhere. */
const BARE: Story = { name: 'bare', isReady: true, reason: 'AllReady', message: 'nothing is asked for', rows: [] };

interface PageRow {
  /** In the words of a path: `NS` is the namespace. */
  readonly path: string;
  /** What it cannot do without. */
  readonly asks: RegExp;
  /** Only there once it was answered. */
  readonly shows: RegExp;
  /** Where nothing is, it says so; absent: there is always something. */
  readonly empty?: { readonly path: string; readonly who: 'member' | 'stranger'; readonly says: RegExp };
}

const CHECK = /^Check what this will do$/;
const TEMPLATE = '/templates/NS/HelmTemplate/web';
const READ = /^Read at /;

/** Who may see nothing at all. */
const forStranger = (path: string, says: RegExp) => ({ empty: { path, says, who: 'stranger' as const } });
const ofBare = (view: string, says: RegExp) => ({
  empty: { path: `/applications/NS/bare${view}`, says, who: 'member' as const },
});

const PAGES: readonly PageRow[] = [
  {
    ...{ path: '/', asks: /\/api\/v1\/overview\b/, shows: /^2 of 2 Applications$/ },
    ...forStranger('/', /^There are no Applications that you may see$/),
  },
  {
    ...{ path: '/clusters', asks: /\/api\/v1\/clusters\b/, shows: /^\d+ clusters?$/ },
    ...forStranger('/clusters', /^There are no clusters that you may see$/),
  },
  {
    ...{ path: '/templates', asks: /\/api\/v1\/templates\b/, shows: /^1 template$/ },
    ...forStranger('/templates', /^There are no templates that you may see$/),
  },
  { path: TEMPLATE, asks: /\/api\/v1\/.*\/HelmTemplate\/web$/, shows: /^Namespaces that may use it$/ },
  { path: `${TEMPLATE}/use`, asks: /\/api\/v1\/.*\/HelmTemplate\/web$/, shows: CHECK },
  {
    ...{ path: '/applications/NS/web', asks: /\/api\/v1\/.*\/web$/, shows: /^Destinations, worst first/ },
    ...ofBare('', /^The status names none\.$/),
  },
  {
    // Its user may read nothing on a cluster.
    ...{ path: '/applications/NS/web/tree', asks: /\/api\/v1\/.*\/web\/tree\b/, shows: /forbidden/ },
    ...ofBare('/tree', /^There are no destinations$/),
  },
  {
    ...{ path: '/applications/NS/web/events', asks: /\/api\/v1\/.*\/web\/events\b/, shows: READ },
    ...ofBare('/events', /^There are no events$/),
  },
  { path: '/applications/NS/web/values', asks: /\/api\/v1\/.*\/web\/values\b/, shows: READ },
  {
    ...{ path: '/applications/NS/web/manifest', asks: /\/api\/v1\/.*\/web\/manifest\b/, shows: READ },
    ...ofBare('/manifest', /^Nothing is deployed yet$/),
  },
  {
    ...{ path: '/applications/NS/web/differences', asks: /\/api\/v1\/.*\/web\/(live-)?diff\b/, shows: READ },
    ...ofBare('/differences', /^Nothing is deployed yet$/),
  },
  {
    ...{ path: '/applications/NS/web/history', asks: /\/api\/v1\/.*\/web\/history$/, shows: /^It keeps no revisions$/ },
    ...ofBare('/history', /^It keeps no revisions$/),
  },
  {
    ...{ path: '/applications/NS/web/rollout', asks: /\/api\/v1\/.*\/web$/, shows: /^It has no rollout$/ },
    ...ofBare('/rollout', /^It has no rollout$/),
  },
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
  [GONE, /^(The server does not answer|.*Retrying until it answers.*)$/],
];

describeInBrowser('the states of a page', () => {
  const setting = fixture<Visitors>(async () => {
    const visitors = await gatherVisitors('states', [WEB, BARE]);
    await withTemplate(visitors);
    return visitors;
  }, dismissVisitors);
  let page: Page;

  beforeAll(async () => {
    ({ page } = await openAs(setting, 'member', '/'));
    await page.getByText('2 of 2 Applications').waitFor();
  });

  afterEach(() => page.unrouteAll());

  const shown = ({ shows }: PageRow) => page.locator('main').getByText(shows).filter({ visible: true }).first();

  /** As long as it is asked for, it is answered so. */
  async function visit({ path, asks }: PageRow, answer: Answer): Promise<() => Promise<void>> {
    await page.route(asks, answer);
    await page.goto(urlOf(setting, path.replace('NS', setting.namespace)));
    return () => page.unroute(asks, answer);
  }

  it('has rows for each page, and for each view of an Application', async () => {
    const rows = [...PAGES, NEW].map(({ path }) => path.replace('NS', setting.namespace));
    expect([...new Set(rows.map((path) => placeOf(path).page))].sort()).toEqual(Object.keys(PATHS).sort());
    await page.goto(urlOf(setting, `/applications/${setting.namespace}/web`));
    const links = page.locator('nav.views a');
    await links.first().waitFor();
    const views = await page.evaluate(
      `[...document.querySelectorAll('nav.views a')].map((link) => link.getAttribute('href'))`,
    );
    expect(rows.filter((path) => path.startsWith('/applications/'))).toEqual(views);
  });

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

  it('says where there is nothing', async () => {
    const { page: strange } = await openAs(setting, 'stranger', '/');
    await strange.getByRole('heading', { name: 'There are no Applications that you may see' }).waitFor();
    const unsaid: string[] = [];
    for (const { empty } of PAGES) {
      if (empty === undefined) continue;
      const seen = empty.who === 'stranger' ? strange : page;
      await seen.goto(urlOf(setting, empty.path.replace('NS', setting.namespace)));
      const said = seen.locator('main').getByText(empty.says).first();
      await said.waitFor().catch(() => unsaid.push(empty.path));
    }
    await strange.context().close();
    expect(unsaid).toEqual([]);
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

  it('does nothing for whoever signed in since, in another tab', async () => {
    const { namespace, kube, tokens } = setting;
    const { page: first } = await openAs(setting, 'member', `/applications/${namespace}/web`);
    const dialog = first.getByRole('dialog');
    await first.getByRole('button', { name: 'Suspend' }).click();
    await dialog.getByRole('button', { name: 'Suspend', disabled: false }).waitFor();
    // It hears of nothing by itself: what somebody does is what finds out.
    await first.route(/\/api\//, (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
    const second = await first.context().newPage();
    await second.goto(urlOf(setting, '/'));
    await second.getByRole('button', { name: 'Sign out' }).click();
    // Who may suspend it, too.
    await signIn(second, tokens.admin);
    await second.getByText('2 of 2 Applications').waitFor();
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await first.getByText(/:admin has signed in in another tab\. Sign in as .*:member to/).waitFor();
    expect(await first.getByRole('heading', { name: 'Destinations, worst first' }).count()).toBe(0);
    const found = await kube.get<Application>(applicationResource, { name: 'web', namespace });
    expect(found?.spec.fluxApp?.spec.config.suspend).toBeUndefined();
    await first.unrouteAll();
    await signIn(first, tokens.member);
    await first.getByText('Destinations, worst first').waitFor();
    await first.context().close();
  });

  it('names itself when nobody is signed in', async () => {
    await page.goto(urlOf(setting, `/applications/${setting.namespace}/web`));
    await page.getByText('Destinations, worst first').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Bearer token').waitFor();
    await eventually(async () => expect(await page.title()).toBe('Sign in · Fairlead'));
  });
});
