import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { helmReleaseResource, type HelmRelease, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import { StaleReadError, writeFresh } from '#engine/flux/fresh.js';
import { KeptStatus } from '#engine/flux/write-status.js';
import { readsOf } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { prepareCluster } from '../../../support/harness.js';
import { useWorld } from '../../../support/world.js';

let kube: Kube;
let namespace: string;

beforeAll(async () => {
  ({ kube, namespace } = await prepareCluster((await useWorld()).host, 'kept-status'));
});

afterAll(() => kube.close());

/** The same client, whose first patches fail with `errors` before they arrive. */
function failing(errors: Error[]): Kube {
  return {
    ...readsOf(kube),
    actingAs: (user) => kube.actingAs(user),
    create: (type, object, options) => kube.create(type, object, options),
    update: (type, object, options) => kube.update(type, object, options),
    apply: (type, object, options) => kube.apply(type, object, options),
    delete: (type, ref, options) => kube.delete(type, ref, options),
    async patch(type, ref, patch, options) {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return kube.patch(type, ref, patch, options);
    },
  };
}

async function release(name: string): Promise<HelmRelease> {
  const spec = { interval: '10m', chart: { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'w' } } } };
  const object = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: { name, namespace }, spec };
  await kube.create(helmReleaseResource, object);
  const created = await kube.get<HelmRelease>(helmReleaseResource, { name, namespace });
  if (created === undefined) throw new Error(`HelmRelease ${name} was not created`);
  return created;
}

async function writeWith(name: string, errors: Error[]): Promise<HelmReleaseStatus | undefined> {
  const object = await release(name);
  const target = { kube: failing(errors), type: helmReleaseResource, fieldManager: 'test', object };
  const status = new KeptStatus<HelmReleaseStatus>(target, {});
  status.current = { lastAttemptedRevision: '1.0.0' };
  await status.write();
  return (await kube.get<HelmRelease>(helmReleaseResource, object.metadata))?.status;
}

test('a status outlives one lost request', async () => {
  const lost = new TransientError('the connection was reset');
  expect(await writeWith('lost', [lost])).toMatchObject({ lastAttemptedRevision: '1.0.0' });
});

test('two of them end the reconciliation', async () => {
  const lost = new TransientError('the connection was reset');
  await expect(writeWith('twice', [lost, lost])).rejects.toThrow('the connection was reset');
});

test.each([422, 429])('a status that is refused with %i is not sent again at once', async (code) => {
  const status = { code, reason: 'Refused', causes: [] };
  const [refused, next] = [new TransientError('refused', { status }), new TransientError('sent again')];
  await expect(writeWith(`refused-${code}`, [refused, next])).rejects.toThrow('refused');
});

test.each([
  ['something to write', { lastAttemptedRevision: '2.0.0' }],
  ['nothing to write', {}],
])('a pass that has %s does not act on what was changed since', async (sentence, next) => {
  const object = await release(sentence.replaceAll(' ', '-'));
  const status = new KeptStatus<HelmReleaseStatus>(
    { kube, type: helmReleaseResource, fieldManager: 'test', object },
    {},
  );
  const { signal } = new AbortController();
  const read = { kube, type: helmReleaseResource, object, status };
  await expect(writeFresh(read, signal)).resolves.toBeUndefined();
  const suspended = { type: 'merge', body: { spec: { suspend: true } } } as const;
  await kube.patch(helmReleaseResource, object.metadata, suspended);
  status.current = next;
  await expect(writeFresh(read, signal)).rejects.toThrow(StaleReadError);
});
