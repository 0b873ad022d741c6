import path from 'node:path';
import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

/** Flags of every verb, wherever they stand. */
export const GLOBAL_FLAGS: readonly string[] = ['--debug', '--no-color'];

/** The version of this program. */
export function packageVersion(): string {
  const text = readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8');
  // Our own package.json.
  return (JSON.parse(text) as { version: string }).version;
}

/** Scripts of `package.json` that run the program. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'fairlead'];

/** The name by which kubectl finds its plugin `fairlead`. */
const PLUGIN = 'kubectl-fairlead';

/** True if kubectl runs this program as its plugin. */
export function isPlugin(file = process.argv[1] ?? ''): boolean {
  return path.basename(file) === PLUGIN;
}

/** How a user of this installation types the program: through npm in a checkout, and as a plugin through kubectl. */
export function programName(script = process.env['npm_lifecycle_event'], file?: string): string {
  if (isPlugin(file)) return 'kubectl fairlead';
  return SCRIPTS.includes(script) ? 'npm run -s fairlead --' : 'fairlead';
}

/** The text with its commands (`fairlead VERB` in backticks) as a user of this installation types them. */
export function asTyped(text: string, program = programName()): string {
  return text.replaceAll('`fairlead ', `\`${program} `);
}
