import { expect, test } from '@jest/globals';
import { packAside } from '#controllers/flux/source/pack-aside.js';
import { createOffload } from '#controllers/runtime/offload.js';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import { builtForm } from '#test/support/offload.js';

const HUNGRY =
  'export const packTask = { run: () => { for (const all = []; ; ) all.push(new Array(1e6).fill(1.5)); } };';

test('a packing that costs too much is reported and retried', async () => {
  const offload = createOffload({
    locate: (url) =>
      url.includes('pack-aside') ? `data:text/javascript,${encodeURIComponent(HUNGRY)}` : builtForm(url),
  });
  const packing = { revision: 'main@sha1:1', folder: '/none', file: '/none.tgz' };
  const error: unknown = await packAside(offload, packing, 'team').catch((thrown: unknown) => thrown);
  await offload.close();
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({
    reason: 'ArchiveOperationFailed',
    message: "packing revision 'main@sha1:1' takes too much memory: exclude unneeded files, with fewer patterns",
  });
});
