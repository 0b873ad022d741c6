import { afterEach, expect, it } from '@jest/globals';
import { fetch } from 'undici';
import { interruption } from '#cli/command/exit.js';
import { startHttpServer } from '#sandbox/world/ports.js';

const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const before = new Map(NAMES.map((name) => [name, process.listeners(name)] as const));

afterEach(() => {
  for (const name of NAMES) {
    for (const listener of process.listeners(name)) {
      if (before.get(name)?.includes(listener) !== true) process.removeListener(name, listener);
    }
  }
});

it('the signal of an interruption can be given to a fetch, as when tools are downloaded', async () => {
  const server = await startHttpServer((_request, response) => void response.end('fine'));
  try {
    const response = await fetch(server.origin, { signal: interruption() });
    expect(await response.text()).toBe('fine');
  } finally {
    await server.close();
  }
});
