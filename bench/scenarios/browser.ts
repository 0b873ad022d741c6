import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The first one has no windows of its own to draw, so it needs about a third less. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find((file) => existsSync(file));
}

/** Of the variable, for a browser that is somewhere else; else of the system. */
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
