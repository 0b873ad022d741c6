import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cacheKey, missingTools, readModule, toolCacheFolder } from '#sandbox/tools/cache.js';

describe('toolCacheFolder', () => {
  test.each([
    ['XDG_CACHE_HOME', { XDG_CACHE_HOME: '/var/cache/me' }, '/var/cache/me/fairlead/tools'],
    ['~/.cache when it is not set', {}, '/home/me/.cache/fairlead/tools'],
    ['~/.cache when it is empty', { XDG_CACHE_HOME: '' }, '/home/me/.cache/fairlead/tools'],
    ['~/.cache when it is relative', { XDG_CACHE_HOME: 'cache' }, '/home/me/.cache/fairlead/tools'],
  ])('is below %s', (_where, env, folder) => {
    expect(toolCacheFolder(env, '/home/me')).toBe(folder);
  });
});

describe('cacheKey', () => {
  test('is 12 hex characters, the same every time', () => {
    expect(cacheKey('module a\n', 'sum\n')).toMatch(/^[0-9a-f]{12}$/);
    expect(cacheKey('module a\n', 'sum\n')).toBe(cacheKey('module a\n', 'sum\n'));
  });

  test('changes with any file', () => {
    const keys = [cacheKey('a', 'b'), cacheKey('a2', 'b'), cacheKey('a', 'b2'), cacheKey('a', 'b', 'c')];
    expect(new Set(keys).size).toBe(4);
  });
});

test('a module is kept in a folder of its name and key', async () => {
  const module = await readModule('sandbox', '/cache');
  expect(module.folder).toMatch(/^\/cache\/sandbox-[0-9a-f]{12}$/);
  expect(module.goMod).toContain('module fairlead.dev/tools/sandbox');
});

test('the tools of a module are kept one by one', async () => {
  const cache = await mkdtemp(path.join(tmpdir(), 'fairlead-cache-'));
  try {
    const module = await readModule('control-plane', cache);
    expect(await missingTools(module, ['kubectl', 'kube-scheduler'])).toEqual(['kubectl', 'kube-scheduler']);
    await mkdir(module.folder);
    await writeFile(path.join(module.folder, 'kubectl'), '');
    expect(await missingTools(module, ['kubectl', 'kube-scheduler'])).toEqual(['kubectl', 'kube-scheduler']);
    await chmod(path.join(module.folder, 'kubectl'), 0o755);
    expect(await missingTools(module, ['kubectl', 'kube-scheduler'])).toEqual(['kube-scheduler']);
  } finally {
    await rm(cache, { recursive: true });
  }
});
