import { expect, test } from '@jest/globals';
import { setImmediate as immediately } from 'node:timers/promises';
import type { ResourceType } from '#api/meta.js';
import type { Member } from '#engine/member/member.js';
import { createManagedWatches } from '#engine/watch/managed-watches.js';
import type { Kube, WatchQuery } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';

const LIMIT = 4;

function typeOf(kind: string): ResourceType {
  return { group: 'example.com', version: 'v1', kind, plural: kind.toLowerCase(), namespaced: true };
}

/** The kinds of a member that are watched now. */
function watchedMember() {
  const open = new Set<string>();
  const watch = async function* ({ kind }: ResourceType, { signal }: WatchQuery) {
    open.add(kind);
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    open.delete(kind);
    yield* [];
  };
  const kube = { watch } as unknown as Kube; // nothing else is asked
  const member = { key: 'c1', kube } as unknown as Member; // nothing else is read
  return { open, member };
}

test('watches only for deletions give way to those for drift', async () => {
  const watches = createManagedWatches({
    ...{ label: 'x', ownerOf: () => undefined, log: createLogger('silent'), limit: LIMIT },
  });
  const { open, member } = watchedMember();
  const keep = async (owner: string, kinds: readonly string[], onlyDeletions: boolean): Promise<string[]> => {
    void watches.keep(owner, member, kinds.map(typeOf), { onlyDeletions });
    await immediately();
    return [...open].sort();
  };
  expect(await keep('deletions', ['A', 'B', 'C'], true)).toEqual(['A', 'B']);
  expect(await keep('drift', ['B', 'D', 'E', 'F', 'G'], false)).toEqual(['B', 'D', 'E', 'F']);
  expect(await keep('deletions', ['A', 'B', 'C'], true)).toEqual(['B', 'D', 'E', 'F']);
  await watches.close();
});
