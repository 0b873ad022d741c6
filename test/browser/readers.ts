import { startBrowser } from '#bench/with-dashboard.js';
import { dismissManifested, gatherManifested, type Manifested } from '../apiserver/console/manifested.js';
import type { Visitors } from './visit.js';

/** People who read what was put at the destinations of one Application: all of it, no Secrets, and nothing. */
export type Readers = Visitors & Pick<Manifested, 'member' | 'target'>;

export async function gatherReaders(): Promise<Readers> {
  const { console, tokens, ...rest } = await gatherManifested();
  const people = { admin: tokens.owner, member: tokens.guest, viewer: tokens.reader, named: '', stranger: '' };
  return { ...rest, plain: console, behindProxy: console, tokens: people, browser: await startBrowser() };
}

export async function dismissReaders({ browser, plain, tokens, ...rest }: Readers): Promise<void> {
  await browser.close();
  const { admin: owner, member: guest, viewer: reader } = tokens;
  await dismissManifested({ ...rest, console: plain, tokens: { owner, guest, reader } });
}
