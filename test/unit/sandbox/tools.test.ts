import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ensureTools, ToolUnavailableError } from '#sandbox/tools.js';

test('without any provider one error names every way out', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-tools-'));
  try {
    const env = { PATH: folder, XDG_CACHE_HOME: folder };
    const failure: unknown = await ensureTools(['etcd'], { env }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolUnavailableError);
    const { message } = failure as Error;
    for (const way of [
      'cannot provide etcd',
      '--download',
      'install Go 1.26',
      'KUBEBUILDER_ASSETS',
      'PATH',
      `${folder}/fairlead/tools`,
    ]) {
      expect(message).toContain(way);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
