import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controllerRevisionResource } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually, useWorld } from '../../support/world.js';
import { application, deploy } from '../../unit/application/model/builders.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

/** As much as an API server takes. */
const ANNOTATION = 'x'.repeat(250_000);
/** Together more than the 16 MiB of a page. */
const LARGE = 70;

let kube: Kube;
let namespace: string;
let server: Console;
let token: string;

beforeAll(async () => {
  const world = await useWorld();
  ({ kube, namespace } = await prepareCluster(world.host, 'console-long'));
  const { user, token: made } = await account(kube, namespace, 'reader');
  await grant(kube, 'reader', { namespace, user, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
  token = made;
  await kube.create(applicationResource, application([deploy('x')], { metadata: { name: 'shop', namespace } }));
  server = await startConsole(world, { kube, namespace });
});

afterAll(async () => {
  await server.stop();
  await kube.close();
});

function revisions(): Promise<Answer> {
  return sendDescribed(server.port, `/api/v1/namespaces/${namespace}/applications/shop/revisions`, { token });
}

test('an answer of the host that tenants made too long is an error of this request, and of no other', async () => {
  await eventually(async () => expect(await revisions()).toMatchObject({ code: 200 }));
  for (let index = 0; index < LARGE; index += 1) {
    const labels = { [APPLICATION_REVISION]: 'other' };
    const metadata = { name: `large-${index}`, namespace, labels, annotations: { large: ANNOTATION } };
    const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: index + 1, data: {} };
    await kube.create(controllerRevisionResource, object);
  }
  const before = process.memoryUsage().rss;
  const { code, text } = await revisions();
  expect(code).toBe(503);
  expect(text).toMatch(/cannot list ControllerRevision .* answered with more than 16777216 bytes/);
  expect(text).not.toContain('xxxx');
  expect(text).not.toContain(new URL(kube.server).host);
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  const list = await sendDescribed(server.port, `/api/v1/namespaces/${namespace}/applications`, { token });
  expect(list.code).toBe(200);
});
