import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { existsSync } from 'node:fs';
import { createUser, tokenOfUser } from '#cli/local/dashboard.js';
import type { Kube } from '#runtime/client/kube.js';
import { type ConsoleProcess, startConsole } from '#sandbox/console-process.js';
import { withCrds } from './harness.js';
import { createNamespaces } from './objects.js';

/** The first one has no windows of its own to draw, so it needs about a third less. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find((file) => existsSync(file));
}

/** The variable names a browser that is somewhere else; without it, the system has one. */
const EXECUTABLE = process.env['FAIRLEAD_BROWSER'] ?? onPath();

/** Why no browser starts here, with the way out; undefined if one does. */
export const NO_BROWSER =
  EXECUTABLE === undefined
    ? "no browser found: install Debian's chromium-headless-shell, or set FAIRLEAD_BROWSER"
    : undefined;

export async function startBrowser(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error(NO_BROWSER);
  // Chromium has no sandbox for root, and /dev/shm of containers is small. It only ever sees pages of this machine.
  return chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export interface Visited {
  readonly kube: Kube;
  readonly browser: Browser;
  readonly console: ConsoleProcess;
  /** Signs somebody in who may do everything in the namespace, once. */
  readonly link: () => Promise<string>;
}

async function linkOf(console: ConsoleProcess, kube: Kube, namespace: string): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  console.offer({ code, token: await tokenOfUser(kube, namespace) });
  return `${console.address}/login#${code}`;
}

/** A browser, and the real server over an API server that has a namespace with what `fill` puts there. */
export function withDashboard<T>(
  namespace: string,
  fill: (kube: Kube) => Promise<void>,
  measure: (visited: Visited) => Promise<T>,
): Promise<T> {
  return withCrds(async ({ world, kube }) => {
    const browser = await startBrowser();
    try {
      await createNamespaces(kube, namespace);
      await fill(kube);
      await createUser(kube, { namespace });
      const { host, tools, dir } = world;
      const console = await startConsole({ kubeconfig: host.kubeconfig, helm: tools.helm, dir });
      try {
        return await measure({ kube, browser, console, link: () => linkOf(console, kube, namespace) });
      } finally {
        await console.stop();
      }
    } finally {
      await browser.close();
    }
  });
}
