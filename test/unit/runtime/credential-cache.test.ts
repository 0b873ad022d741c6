import { describe, expect, it } from '@jest/globals';
import { cachedCredential } from '#runtime/client/credential-cache.js';
import type { Credential, CredentialSource } from '#runtime/client/transport.js';

interface Asked {
  readonly source: CredentialSource;
  /** One entry for each time that the plugin was asked: whether it had to forget what it knew. */
  readonly refresh: boolean[];
  /** What the plugin says; it may change, or fail. */
  say: string | Error;
  now: number;
}

function plugin(): Asked {
  const asked: Asked = {
    refresh: [],
    say: 'one',
    now: 0,
    source: cachedCredential(
      async (refresh) => {
        asked.refresh.push(refresh);
        await Promise.resolve();
        if (asked.say instanceof Error) throw asked.say;
        return { headers: { authorization: asked.say }, tls: {} };
      },
      () => asked.now,
    ),
  };
  return asked;
}

function shown(credential: Credential): string | undefined {
  return credential.headers['authorization'];
}

describe('a credential that may change', () => {
  it('is asked for once by all that need it at the same time', async () => {
    const asked = plugin();
    await Promise.all(Array.from({ length: 50 }, () => asked.source()));
    expect(asked.refresh).toEqual([false]);
  });

  it('is used for ten seconds, and stays the same object while it does not change', async () => {
    const asked = plugin();
    const first = await asked.source();
    asked.now = 10_000;
    expect(await asked.source()).toBe(first);
    expect(asked.refresh).toHaveLength(1);
    asked.now = 10_001;
    expect(await asked.source()).toBe(first);
    expect(asked.refresh).toHaveLength(2);
    asked.say = 'two';
    asked.now = 30_000;
    expect(shown(await asked.source())).toBe('two');
  });

  it('is asked for refresh once when fifty requests were refused with it', async () => {
    const asked = plugin();
    const refused = await asked.source();
    asked.say = 'two';
    const renewed = await Promise.all(Array.from({ length: 50 }, () => asked.source(refused)));
    expect(new Set(renewed.map(shown))).toEqual(new Set(['two']));
    expect(asked.refresh).toEqual([false, true]);
    expect(shown(await asked.source(refused))).toBe('two');
    expect(asked.refresh).toHaveLength(2);
  });

  it('is the refused one when there is no other, and the plugin is left alone for a second', async () => {
    const asked = plugin();
    asked.now = 5_000;
    const refused = await asked.source();
    for (let request = 0; request < 10; request += 1) expect(await asked.source(refused)).toBe(refused);
    expect(asked.refresh).toEqual([false, true]);
    asked.now = 6_000;
    await asked.source(refused);
    expect(asked.refresh).toEqual([false, true, true]);
  });

  it('is asked for again by the next request after a failure', async () => {
    const asked = plugin();
    asked.say = new Error('plugin broke');
    await expect(asked.source()).rejects.toThrow('plugin broke');
    asked.say = 'one';
    expect(shown(await asked.source())).toBe('one');
  });
});
