import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from '#bench/with-dashboard.js';
import { eventually, useWorld } from '../support/world.js';
import { dismiss, gatherPeople, type People } from '../apiserver/console/people.js';
import { tell, type Story } from './applications.js';
import { findingsOf, open, type Opened } from './browser.js';

/** People with a browser, and a server that shows them the Applications of one namespace. */
export interface Visitors extends People {
  readonly browser: Browser;
}

/** The Applications of the stories are there, as the controller would leave them. */
export async function gatherVisitors(prefix: string, stories: readonly Story[] = []): Promise<Visitors> {
  const people = await gatherPeople(await useWorld(), prefix);
  for (const story of stories) await tell(people.kube, people.namespace, story);
  await eventually(() => expect(people.plain.applications.list()).toHaveLength(stories.length));
  return { ...people, browser: await startBrowser() };
}

export async function dismissVisitors(visitors: Visitors): Promise<void> {
  await visitors.browser.close();
  await dismiss(visitors);
}

export function urlOf({ plain }: Pick<Visitors, 'plain'>, path: string): string {
  return `http://127.0.0.1:${plain.port}${path}`;
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Bearer token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The page of a path, for somebody who has signed in. */
export async function openAs(
  visitors: Visitors,
  who: keyof Visitors['tokens'],
  path: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const opened = await open(visitors.browser, urlOf(visitors, path), options);
  await signIn(opened.page, visitors.tokens[who]);
  return opened;
}

/** Everybody can use the page, nothing of it broke its policy, and it asked nobody but its server. */
export async function expectSound({ page, complaints, asked }: Opened): Promise<void> {
  expect(await findingsOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
  expect([...new Set(asked)]).toEqual([new URL(page.url()).origin]);
}

/** Pixels; more than those of the screen make people scroll sideways. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth');
}
