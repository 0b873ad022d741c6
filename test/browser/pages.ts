import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { eventResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { PAGES } from '#console/shared/pages.js';
import { placeOf } from '#console/web/navigation/model/place.js';
import { withTemplate } from '../apiserver/console/template-people.js';
import { fixture } from '../support/fixture.js';
import { eventually } from '../support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser, open, type Opened } from './browser.js';
import { dismissVisitors, expectSound, gatherVisitors, openAs, urlOf, widthOf, type Visitors } from './visit.js';
import { findingsOfWalk } from './walk.js';

/** As long as the API server allows. */
const LONG = `long-${'x'.repeat(248)}`;
const SOURCE = 'charts';
const TEMPLATE = `template-${'y'.repeat(200)}`;
const CLUSTER = `c-${'x'.repeat(240)}`;
const TAG = '<img src=x onerror="window.owned=1">';
const SCRIPT = '<script>window.owned=1</script>';
/** Runs if it is ever taken for HTML; turns text around, and is one word of a thousand characters. */
const ATTACK = `"'>${TAG}${SCRIPT}\u202E ${'w'.repeat(1_000)}`;
const AT = '2026-01-01T00:00:00Z';
const NONE = { total: 1, ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 1, left: 0 };

/** Values of an Application that is deployed nowhere. */
const VALUES = {
  rollout: { stages: [{ name: 'first', clusters: { names: [CLUSTER] } }] },
  fluxApp: {
    spec: {
      source: { sourceRef: { kind: 'HelmRepository', name: SOURCE } },
      config: {
        helmRelease: {
          chart: { chart: 'web' },
          deploy: [{ destination: { targetNamespace: 'web' }, values: { text: ATTACK, [ATTACK.slice(0, 90)]: 1 } }],
        },
      },
    },
  },
};

const hostileStory = (destinations: number): Story => ({
  spec: VALUES,
  ...{ name: LONG, isReady: false, reason: 'DestinationsFailed', message: ATTACK },
  rows: Array.from({ length: destinations }, (_, index) => ({
    ...{ cluster: index === 0 ? CLUSTER : `cluster-${index}`, state: 'Failed', message: ATTACK },
  })),
  more: {
    rollout: {
      ...{ revision: 2, phase: 'Paused', startedAt: AT, rolledBack: { stage: 'first', why: ATTACK.slice(0, 900) } },
      stages: [{ ...NONE, name: 'first', phase: 'Paused', message: ATTACK.slice(0, 900) }],
    },
  },
});

/** Deployed nowhere, without a rollout. */
const BARE: Story = { name: 'bare', isReady: true, reason: 'AllReady', message: 'nothing is asked for', rows: [] };

async function putEvent({ kube, namespace }: Visitors): Promise<void> {
  const involvedObject = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: LONG, namespace };
  const times = { firstTimestamp: AT, lastTimestamp: AT, count: 3 };
  await kube.create<KubeObject>(eventResource, {
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'hostile', namespace }, involvedObject, ...times },
    ...{ type: 'Warning', reason: '<b>Bold</b>', message: ATTACK.slice(0, 1_000), source: { component: ATTACK } },
  });
}

async function putCluster({ kube, namespace }: Visitors): Promise<void> {
  const labels = { [CLUSTER_LABEL]: 'true', [`x${'y'.repeat(60)}`]: 'z'.repeat(63) };
  const metadata = { name: CLUSTER, namespace, labels, annotations: { note: ATTACK } };
  await kube.create<KubeObject>(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
}

const run = promisify(execFile);

/** The words of a line, as a shell has them; it runs nothing. */
async function wordsOf(command: string): Promise<string[]> {
  const { stdout } = await run('sh', ['-c', `set -f; for word in ${command}; do printf '%s\\0' "$word"; done`]);
  return stdout.split('\0').slice(0, -1);
}

/** `NAMESPACE/NAME` and `NAME@REVISION` name it as well. */
function namesIn(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map((word) => word.split('/').at(-1)?.split('@')[0] ?? ''));
}

/** These views show no commands: Helm deploys nothing there. */
const WITHOUT_COMMANDS = new Set(['manifest']);

/** Texts of users in all places where Kubernetes takes them. */
async function gatherHostile(destinations: number): Promise<Visitors> {
  const visitors = await gatherVisitors('every');
  const { kube, namespace, plain } = visitors;
  for (const story of [hostileStory(destinations), BARE]) await tell(kube, namespace, story);
  await putEvent(visitors);
  await putCluster(visitors);
  await withTemplate(visitors, { name: TEMPLATE, annotations: { 'kubesphere.io/description': ATTACK } });
  await eventually(() => expect(plain.applications.list()).toHaveLength(2));
  return visitors;
}

type Screen = readonly [string, BrowserContextOptions & { viewport: { width: number; height: number } }];

const WIDE = { width: 1_600, height: 900 };
const NARROW = { width: 320, height: 640 };

/** Every width, and every colour scheme. */
export const TWO_SCREENS: readonly Screen[] = [
  ['wide and light', { viewport: WIDE, colorScheme: 'light' }],
  ['narrow and dark', { viewport: NARROW, colorScheme: 'dark', reducedMotion: 'reduce' }],
];

/** The other combinations of a width and a colour scheme. */
export const OTHER_SCREENS: readonly Screen[] = [
  ['wide and dark', { viewport: WIDE, colorScheme: 'dark' }],
  ['narrow and light', { viewport: NARROW, colorScheme: 'light' }],
];

/** Tests of each page with texts that attack it, on these screens, for an Application with so many destinations. */
export function describeEveryPage(screens: readonly Screen[], destinations: number): void {
  describeInBrowser('every page', () => {
    const setting = fixture<Visitors>(() => gatherHostile(destinations), dismissVisitors);

    /** Each page, and what users wrote that it shows. */
    function pagesOf(): [path: string, texts: readonly string[]][] {
      const { namespace } = setting;
      const template = `/templates/${namespace}/HelmTemplate/${TEMPLATE}`;
      const application = `/applications/${namespace}/${LONG}`;
      return [
        ['/', [LONG, CLUSTER]],
        ['/new', []],
        ['/clusters', [CLUSTER, TAG]],
        ['/templates', [TEMPLATE]],
        [template, [TEMPLATE, '<script>']],
        [`${template}/use`, [TEMPLATE]],
        ['/nowhere', []],
        [`${application}/nowhere`, []],
        ...['', '/rollout'].map((view): [string, string[]] => [`/applications/${namespace}/bare${view}`, ['bare']]),
        [application, [LONG, CLUSTER, TAG, SCRIPT]],
      ];
    }

    /** Views of the Application; the others have nothing that users wrote but its name. */
    const SHOWN = new Map<string, readonly string[]>([
      ['tree', [CLUSTER, TAG]],
      ['events', [TAG, '<b>Bold</b>']],
      ['values', [SCRIPT]],
      ['rollout', [TAG]],
      ['edit', [SCRIPT]],
    ]);

    /** Whatever had to be read was read, or could not be. */
    async function settled(page: Page): Promise<void> {
      await page.locator('h1').waitFor();
      await eventually(async () => expect(await page.locator('.loading, .read-head :disabled').count()).toBe(0));
    }

    /** Returns the text that users can read, including fields and folded parts, without break opportunities. */
    function seenOn(page: Page): Promise<string> {
      return page.evaluate(`[document.querySelector('main').textContent,
      ...[...document.querySelectorAll('textarea, input')].map(({ value }) => value)].join(' ').replaceAll('\\u200B', '')`);
    }

    /** Returns the elements that make the page scroll sideways. */
    async function tooWide(page: Page, width: number): Promise<string[]> {
      if ((await widthOf(page)) <= width) return [];
      return page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((each) => each.getBoundingClientRect().right > ${width})
      .map(({ tagName, className }) => tagName + ' ' + className)`);
    }

    /** Checks what every page must fulfil. */
    async function expectHarmless(opened: Opened, width: number): Promise<void> {
      const { page } = opened;
      expect(await page.evaluate('window.owned')).toBeUndefined();
      expect(await page.locator('img, main script, main b').count()).toBe(0);
      expect(await page.locator('h1').count()).toBe(1);
      expect(await page.title()).not.toBe('');
      const { pathname } = new URL(page.url());
      expect([pathname, await tooWide(page, width)]).toEqual([pathname, []]);
      await expectSound(opened);
    }

    /** Each view of the Application, by its link. */
    async function viewsOf(page: Page): Promise<string[]> {
      return page.evaluate(`[...document.querySelectorAll('nav.views a')].map((link) => link.getAttribute('href'))`);
    }

    it('has a row for each page', () => {
      const rows = pagesOf().map(([path]) => placeOf(path).page);
      expect(Object.keys(PAGES).filter((page) => !rows.some((row) => row === page))).toEqual([]);
    });

    it('asks who it is for, with nothing of what users wrote', async () => {
      const opened = await open(setting.browser, urlOf(setting, `/applications/${setting.namespace}/${LONG}`));
      await opened.page.getByRole('button', { name: 'Sign in' }).waitFor();
      await expectHarmless(opened, 1_600);
      expect(await seenOn(opened.page)).not.toContain(TAG);
    });

    it.each(screens)(
      'shows what users wrote as text, has room, and can be used by everybody, %s',
      async (_, options) => {
        const opened = await openAs(setting, 'admin', '/', options);
        const { page } = opened;
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        const goTo = async (path: string, texts: readonly string[]): Promise<void> => {
          await page.goto(new URL(path, page.url()).href);
          await settled(page);
          const seen = await seenOn(page);
          expect([path.slice(-20), texts.filter((text) => !seen.includes(text))]).toEqual([path.slice(-20), []]);
          await expectHarmless(opened, options.viewport.width);
        };
        for (const [path, texts] of pagesOf()) await goTo(path, texts);
        const views = await viewsOf(page);
        expect(views.length).toBeGreaterThan(8);
        for (const view of views) await goTo(view, [LONG, ...(SHOWN.get(view.split('/').at(-1) ?? '') ?? [])]);
      },
    );

    it('shows commands that a shell reads as words, with the names of what the page is about', async () => {
      const { page } = await openAs(setting, 'admin', `/applications/${setting.namespace}/${LONG}`);
      await page.locator('nav.views').waitFor();
      const template = `/templates/${setting.namespace}/HelmTemplate/${TEMPLATE}`;
      const subjects = [
        // The page of an Application has its source, too.
        ...(await viewsOf(page)).map((path) => [path, [LONG, SOURCE]] as const),
        ...[template, `${template}/use`].map((path) => [path, [TEMPLATE]] as const),
      ];
      const found: unknown[] = [];
      for (const [path, about] of subjects) {
        await page.goto(urlOf(setting, path));
        await settled(page);
        const commands = await page.locator('.commands code').allInnerTexts();
        for (const command of commands) {
          // The editor has them in a file.
          const names = namesIn(await wordsOf(command));
          const isAbout = /-f application\.yaml/.test(command) || about.some((name) => names.has(name));
          if (!isAbout) found.push([path.slice(-20), command]);
        }
        if (commands.length === 0 && !WITHOUT_COMMANDS.has(path.split('/').at(-1) ?? '')) found.push([path, 'none']);
      }
      expect(found).toEqual([]);
    });

    it('takes no command from an address that somebody made up', async () => {
      const { page } = await openAs(setting, 'admin', `/applications/${setting.namespace}/${LONG}`);
      await page.locator('nav.views').waitFor();
      const evil = encodeURIComponent(`x';touch owned;$(touch owned)\n--force`);
      for (const path of [...(await viewsOf(page)), '/clusters', '/templates', '/new']) {
        await page.goto(urlOf(setting, `${path}?cluster=${evil}&child=${evil}&namespace=${evil}&template=${evil}`));
        await settled(page);
        const commands = await page.locator('.commands code').allInnerTexts();
        expect([path.slice(-20), commands.filter((command) => /touch|--force/.test(command))]).toEqual([
          ...[path.slice(-20), []],
        ]);
      }
    });

    it.each(screens)(
      'can be walked through by the keyboard alone, each stop of which is seen, %s',
      async (_, options) => {
        const { page } = await openAs(setting, 'admin', `/applications/${setting.namespace}/${LONG}`, options);
        await page.locator('nav.views').waitFor();
        const paths = [...new Set([...pagesOf().map(([path]) => path), ...(await viewsOf(page))])];
        const found: [string, string[]][] = [];
        for (const path of paths) {
          await page.goto(urlOf(setting, path));
          await settled(page);
          found.push([path.slice(-20), await findingsOfWalk(page)]);
        }
        expect(found.filter(([, findings]) => findings.length > 0)).toEqual([]);
      },
    );
  });
}
