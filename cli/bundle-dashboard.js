/** Bundles the dashboard to `dist/console/web`: files that the console server sends as they are. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const SOURCE = 'console/web';
const OUTPUT = 'dist/console/web';
/** Written last. */
export const DASHBOARD_PAGE = path.join(OUTPUT, 'index.html');

async function bundler() {
  try {
    return await import('esbuild');
  } catch (cause) {
    throw new Error('cannot bundle the dashboard: esbuild is not installed. Run `npm ci` first.', { cause });
  }
}

/** Names with the hash of their contents may be cached for ever; the page names them, and is always asked for. */
export async function bundleDashboard() {
  const { build } = await bundler();
  rmSync(OUTPUT, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [path.join(SOURCE, 'main.tsx'), path.join(SOURCE, 'style.css')],
    outdir: path.join(OUTPUT, 'assets'),
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    // The sources of `#...`, as for the compiler.
    conditions: ['source'],
    tsconfig: path.join(SOURCE, 'tsconfig.json'),
    logLevel: 'warning',
  });
  const files = Object.keys(metafile.outputs).map((file) => path.posix.relative(OUTPUT, file));
  const nameOf = (extension) => `/${files.find((file) => file.endsWith(extension))}`;
  const page = readFileSync(path.join(SOURCE, 'index.html'), 'utf8')
    .replace('/main.tsx', nameOf('.js'))
    .replace('/style.css', nameOf('.css'));
  mkdirSync(OUTPUT, { recursive: true });
  writeFileSync(DASHBOARD_PAGE, page);
}
