import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { externalArtifactResource } from '#api/flux/external-artifact.js';
import { startPublisher, type Publisher } from '../../support/external-artifact.js';
import { tarLayer } from '../../support/oci.js';
import { configMap, createHarness, type Harness } from './harness.js';

let harness: Harness;
let publisher: Publisher;

beforeAll(async () => {
  harness = await createHarness('ks-external');
  publisher = await startPublisher(harness.host);
});

afterAll(async () => {
  await publisher.close();
  await harness.close();
});

async function files(color: string): Promise<Buffer> {
  return (await tarLayer({ 'config.yaml': configMap('external', { color }) })).data;
}

test('an ExternalArtifact is fetched, checked and applied, and none that leads elsewhere', async () => {
  const { namespace, host } = harness;
  const ref = { name: 'external', namespace };
  const says = async (message: string | RegExp): Promise<void> => {
    await harness.until('external', ({ status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'ArtifactFailed' });
      expect(ready?.message).toMatch(message);
    });
  };
  const retried = { retryInterval: '1s', sourceRef: { kind: 'ExternalArtifact' as const, name: 'external' } };
  await harness.apply('external', retried);
  await says(`source 'ExternalArtifact/${namespace}/external' not found: create it`);
  await publisher.publish(ref);
  await says(`source 'ExternalArtifact/${namespace}/external' has no artifact yet`);

  const blue = await files('blue');
  await publisher.publish(ref, blue, { revision: 'blue@sha256:1', digest: `sha256:${'0'.repeat(64)}` });
  await says(/has the digest sha256:[0-9a-f]{64}, its status says sha256:0{64}: publish it again$/);
  await publisher.publish(ref, blue, { revision: 'blue@sha256:2' });
  await harness.untilReady('external', 'blue@sha256:2');
  expect((await harness.configMap('external'))?.data).toEqual({ color: 'blue' });
  expect(publisher.seen.every(({ authorization, cookie }) => authorization === undefined && cookie === undefined)).toBe(
    true,
  );

  const green = await files('green');
  const leads = (to: string): string => `${publisher.origin}/?to=${encodeURIComponent(to)}`;
  await publisher.publish(ref, green, { revision: 'c', url: leads('http://169.254.169.254/latest/meta-data') });
  await says('it leads to 169.254.169.254, a link-local address');
  await publisher.publish(ref, green, { revision: 'd', url: leads('file:///etc/passwd') });
  await says('the server redirects to a URL that is not http or https');
  await publisher.publish(ref, green, { revision: 'e', url: 'file:///etc/passwd' });
  await says('status.artifact.url is not an http or https URL without credentials');
  await publisher.publish(ref, green, { revision: 'f', url: `${publisher.origin}/gone.tar.gz` });
  await says('cannot be fetched: the server answered 404');
  expect((await harness.configMap('external'))?.data).toEqual({ color: 'blue' });

  await publisher.publish(ref, green, { revision: 'green@sha256:3' });
  await harness.untilReady('external', 'green@sha256:3');
  expect((await harness.configMap('external'))?.data).toEqual({ color: 'green' });

  // A URL that is mended calls for a pass, though revision and digest stay.
  const { passes } = harness.controllers;
  await passes.atRest(ref);
  const url = `${publisher.origin}/external/moved.tar.gz`;
  await passes.after(ref, () => publisher.publish(ref, green, { revision: 'green@sha256:3', url }));
  await harness.untilReady('external', 'green@sha256:3');
  await host.delete(externalArtifactResource, ref);
});
