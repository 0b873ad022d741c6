import { expect, test } from '@jest/globals';
import { readDashboard } from '#console/server/dashboard/files.js';

test('all files of the dashboard have a type that browsers know', async () => {
  const { page, assets } = await readDashboard();
  expect(page.type).toBe('text/html; charset=utf-8');
  expect([...new Set([...assets.values()].map(({ type }) => type))].sort()).toEqual([
    'image/svg+xml',
    'text/css; charset=utf-8',
    'text/javascript; charset=utf-8',
  ]);
});

test('a browser loads all of it in less than 200 KB', async () => {
  const { page, assets } = await readDashboard();
  const bytes = [page, ...assets.values()].reduce((sum, { gzipped }) => sum + gzipped.length, 0);
  expect(bytes).toBeLessThan(200_000);
});

test('the first page loads less than 120 KB of scripts', async () => {
  const { page, assets } = await readDashboard();
  const loaded = new Set<string>();
  const load = (text: string): void => {
    // Not `import("…")`, which loads later.
    for (const [, name = ''] of text.matchAll(/(?:from|import|src=)\s*"[./]*(?:assets\/)?([\w-]+\.js)"/g)) {
      if (loaded.has(name)) continue;
      loaded.add(name);
      load(assets.get(name)?.body.toString() ?? '');
    }
  };
  load(page.body.toString());
  const bytes = [...loaded].reduce((sum, name) => sum + (assets.get(name)?.gzipped.length ?? 0), 0);
  expect(loaded.size).toBeGreaterThan(1);
  expect(bytes).toBeLessThan(120_000);
});

test('a program without its dashboard says how it gets one', async () => {
  await expect(readDashboard('/does/not/exist')).rejects.toThrow(
    /^the dashboard is not built: .*ENOENT.*: run `npm run build`$/,
  );
});
