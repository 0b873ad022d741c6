import { expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { namespaceResource } from '#api/core.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { startBrowser } from '#bench/scenarios/browser.js';
import { installCrds } from '#cli/install/crds.js';
import { account, grant, startConsole, type Console } from '#test/apiserver/console/harness.js';
import { fixture } from '#test/support/fixture.js';
import { eventually, kubeFor, useWorld } from '#test/support/world.js';
import { tell, type Story } from './applications.js';
import { describeInBrowser, open, picture, type Opened } from './browser.js';
import { expectSound, signIn } from './visit.js';

/** Fixed, so that pictures only change when the pages do. */
const NAMESPACE = 'shop';
const CLUSTERS = ['ap-1', 'edge-1', 'eu-1', 'eu-2', 'us-1', 'us-2'];
const FAILED = 'Helm upgrade failed for release shop/checkout: Deployment/shop/checkout: no such image web:1.5.0';

/** One state per cluster: `R`eady, `F`ailed, `U`nreachable, `P`rogressing, `W` for pending, `S`uspended. */
const ROWS: Readonly<Record<string, string>> = {
  checkout: 'RRFPWW',
  search: 'RURRRR',
  payments: 'PRRRRR',
  basket: 'RRRRRR',
  catalog: 'RRRRRR',
  images: 'RRRRRS',
  login: 'RRRRRR',
  reports: 'RRRRRR',
};
const STATES: Readonly<Record<string, { state: string; message?: string }>> = {
  R: { state: 'Ready' },
  F: { state: 'Failed', message: FAILED },
  U: { state: 'Unreachable', message: 'connect ECONNREFUSED 192.0.2.7:6443' },
  P: { state: 'Progressing', message: 'waiting for Deployment/shop/web: 1 of 3 pods are ready' },
  W: { state: 'Pending', message: 'waits for stage canary' },
  S: { state: 'Suspended' },
};
/** What an Application says, and when it was last otherwise, is the same at every run. */
const REASONS = [
  ['F', 'DestinationsFailed', FAILED],
  ['U', 'DestinationsFailed', 'edge-1 cannot be reached: connect ECONNREFUSED 192.0.2.7:6443'],
  ['P', 'Progressing', 'waiting for ap-1'],
] as const;

function storyOf(name: string, states: string): Story {
  const [, reason, message] = REASONS.find(([letter]) => states.includes(letter)) ?? ['', 'AllReady', 'all are ready'];
  const rows = CLUSTERS.map((cluster, index) => ({ cluster, ...(STATES[states[index] ?? ''] ?? { state: 'Ready' }) }));
  return { name, isReady: reason === 'AllReady', reason, message, rows };
}

interface Setting {
  readonly kube: Kube;
  readonly console: Console;
  readonly token: string;
  readonly browser: Browser;
}

async function prepare(): Promise<Setting> {
  const world = await useWorld();
  const kube = await kubeFor(world.host);
  await installCrds(kube, { takeOver: false });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await kube.apply(namespaceResource, namespace, { fieldManager: 'test', force: true });
  for (const [name, states] of Object.entries(ROWS)) await tell(kube, NAMESPACE, storyOf(name, states));
  const { user, token } = await account(kube, NAMESPACE, 'jane');
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await grant(kube, 'jane', { namespace: NAMESPACE, user, rules });
  const console = await startConsole(world, { kube, namespace: NAMESPACE });
  await eventually(() => expect(console.applications.list()).toHaveLength(Object.keys(ROWS).length));
  return { kube, console, token, browser: await startBrowser() };
}

describeInBrowser('what the README shows', () => {
  const setting = fixture<Setting>(prepare, async ({ kube, console, browser }) => {
    await browser.close();
    await console.stop();
    await kube.delete(namespaceResource, { name: NAMESPACE });
    await kube.close();
  });

  async function visit(colorScheme: 'light' | 'dark'): Promise<Opened> {
    const { browser, console, token } = setting;
    const same = { locale: 'en-GB', timezoneId: 'UTC', viewport: { width: 1_440, height: 640 } };
    const opened = await open(browser, `http://127.0.0.1:${console.port}/`, { ...same, colorScheme });
    await signIn(opened.page, token);
    await opened.page.getByText('8 of 8 Applications').waitFor();
    return opened;
  }

  it.each(['light', 'dark'] as const)('is all Applications by clusters, and one of them, %s', async (colorScheme) => {
    const opened = await visit(colorScheme);
    const { page } = opened;
    expect(await page.locator('.matrix .name a').first().innerText()).toBe('shop/search');
    await expectSound(opened);
    await picture(page, `dashboard-${colorScheme}`);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('heading', { name: 'Destinations, worst first (6)' }).waitFor();
    await expectSound(opened);
    await picture(page, `dashboard-application-${colorScheme}`);
    await page.context().close();
  });
});
