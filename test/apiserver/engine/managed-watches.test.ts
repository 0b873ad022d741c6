import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import type { Member } from '#engine/member/member.js';
import { createManagedWatches, type ManagedWatches } from '#engine/watch/managed-watches.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { createMembers } from '#engine/member/members.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

const OWNER_LABEL = 'test.fairlead/owner';
const OWNER = 'ns/release';

let kube: Kube;
let namespace: string;
let host: Member;
let watches: ManagedWatches;
let changed: string[];

beforeAll(async () => {
  kube = await kubeFor((await useWorld()).host);
  namespace = await freshNamespace(kube, 'watches');
  host = await createMembers({ host: kube }).get('host', namespace);
  watches = createManagedWatches({
    ...{ label: OWNER_LABEL, reads: { labels: [] }, ownerOf: () => OWNER, log: createLogger('silent') },
  });
  changed = [];
  watches.onChange(({ type, object }) => changed.push(`${type} ${object.metadata.name}`));
});

afterAll(async () => {
  await watches.close();
  await kube.close();
});

async function put(name: string, color: string): Promise<void> {
  const metadata = { name, namespace, labels: { [OWNER_LABEL]: 'release' } };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { color } };
  await kube.apply(configMapResource, object, { fieldManager: 'test', force: true });
}

/** The same cluster by another client, whose lists and watches wait for `until`. */
function rotated(until: Promise<void>): Member {
  const held: Kube = new Proxy(kube, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      if (property !== 'watch') return (...args: unknown[]): unknown => Reflect.apply(value, target, args);
      return async function* (...args: Parameters<Kube['watch']>) {
        await until;
        yield* target.watch(...args);
      };
    },
  });
  return { ...host, kube: held };
}

test('changes while the credential of a watch is rotated are reported', async () => {
  await put('config', 'blue');
  expect(await watches.keep(OWNER, host, [configMapResource])).toBe(true);
  let open = (): void => undefined;
  const member = rotated(new Promise((resolve) => (open = resolve)));
  expect(await watches.keep(OWNER, member, [configMapResource])).toBe(false);
  await put('config', 'pink');
  open();
  await eventually(() => expect(changed).toEqual(['updated config']));
});
