import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/package-root.js';

/** The version of this program. */
export function packageVersion(): string {
  const text = readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8');
  // Our own package.json.
  return (JSON.parse(text) as { version: string }).version;
}
