/** Bundles the command line to `dist/cli/main.js`. Reading a few files costs half as much as reading a thousand. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { bundler } from './bundle-dashboard.js';

/** The compiled module that is bundled, with what it imports. Without it, there is nothing to bundle. */
export const ENTRY = 'dist/cli/program.js';
const FOLDER = path.dirname(ENTRY);

/** CommonJS modules of dependencies expect these names. */
const COMMONJS = [
  `import { createRequire as createRequireOfBundle } from 'node:module';`,
  `import { fileURLToPath as pathOfBundle } from 'node:url';`,
  'const require = createRequireOfBundle(import.meta.url);',
  'const __filename = pathOfBundle(import.meta.url);',
  `const __dirname = pathOfBundle(new URL('.', import.meta.url));`,
].join('\n');

/** Keeps the address of each module, since tasks of child processes are found by it. */
const KEEP_ADDRESSES = {
  name: 'keep-addresses',
  setup(build) {
    build.onLoad({ filter: /\.m?js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = JSON.stringify(path.relative(path.resolve(FOLDER), file).split(path.sep).join('/'));
      return {
        contents: text.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`),
        loader: 'js',
      };
    });
  },
};

/**
 * Modules of a verb are in files of their own, which are read only for that verb. Returns the files, relative to the
 * root of the package.
 */
export async function bundleProgram() {
  const { build } = await bundler();
  const { metafile } = await build({
    entryPoints: { main: ENTRY },
    outdir: FOLDER,
    // In the folder of the entry, for the addresses above are relative to it.
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The modules are compiled already, and the settings of the compiler name sources.
    tsconfigRaw: {},
    // Messages and stack traces show names of classes and functions.
    keepNames: true,
    // It starts threads from files of its own.
    external: ['pino'],
    banner: { js: COMMONJS },
    plugins: [KEEP_ADDRESSES],
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.outputs).map(path.normalize);
}
