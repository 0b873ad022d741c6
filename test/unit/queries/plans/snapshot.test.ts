import { expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { configMapResource, secretResource } from '#api/core.js';
import type { ResourceType } from '#api/meta.js';
import { Snapshot } from '#queries/plans/snapshot.js';
import { TransientError } from '#lib/errors.js';

it.each(['own', 'other'])('that the namespace itself may not be read counts, if %s answers last', async (last) => {
  const snapshot = new Snapshot();
  for (const type of [secretResource, configMapResource]) snapshot.cache(type);
  const list = async (type: ResourceType, { namespace }: { readonly namespace?: string | undefined }) => {
    if (namespace === last) await turn();
    if (type === secretResource)
      throw new TransientError('no', { status: { code: 403, reason: 'Forbidden', causes: [] } });
    // Whatever is said of Secrets is said by then.
    await turn();
    await turn();
    return { items: [] };
  };
  const kube = { get: () => Promise.resolve(undefined), list } as unknown as Parameters<Snapshot['read']>[0];
  const limits = await snapshot.read(kube, { own: 'own', namespaces: ['own'], also: ['other'] });
  expect(limits).toEqual([{ type: secretResource, only: undefined }]);
});
