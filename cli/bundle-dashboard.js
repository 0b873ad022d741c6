/** Bundles the dashboard to `dist/console/web`: files that the console server sends as they are. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const SOURCE = 'console/web';
const ENTRY = `${SOURCE}/main.tsx`;
const ICON = `${SOURCE}/icon.svg`;
const OUTPUT = 'dist/console/web';
/** Written last. */
export const DASHBOARD_PAGE = path.join(OUTPUT, 'index.html');

/** Throws an error with the way out where it is not installed. */
export async function bundler() {
  try {
    return await import('esbuild');
  } catch (cause) {
    throw new Error('cannot bundle: esbuild is not installed. Run `npm ci` first.', { cause });
  }
}

/** Names with the hash of their contents may be cached for ever; the page names them, and is always asked for. */
export async function bundleDashboard() {
  const { build } = await bundler();
  rmSync(OUTPUT, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [ENTRY, ICON],
    loader: { '.svg': 'copy' },
    outdir: path.join(OUTPUT, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    // What is imported with `import()` is loaded when it is needed.
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    // The sources of `#...`, as for the compiler.
    conditions: ['source'],
    tsconfig: path.join(SOURCE, 'tsconfig.json'),
    logLevel: 'warning',
  });
  // All styles are imported from scripts, and are one file; those of a script that is loaded later must not be.
  const styles = Object.keys(metafile.outputs).filter((file) => file.endsWith('.css'));
  const outputOf = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
  const [script, { cssBundle }] = outputOf(ENTRY);
  if (styles.length !== 1) throw new Error(`${styles.join(', ')}: import styles from scripts that main.tsx imports`);
  const urlOf = (file) => `/${path.posix.relative(OUTPUT, file)}`;
  const page = readFileSync(path.join(SOURCE, 'index.html'), 'utf8')
    .replace('/main.tsx', urlOf(script))
    .replace('/style.css', urlOf(cssBundle))
    .replace('/icon.svg', urlOf(outputOf(ICON)[0]));
  mkdirSync(OUTPUT, { recursive: true });
  writeFileSync(DASHBOARD_PAGE, page);
}
