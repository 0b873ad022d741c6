import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { bucketResource } from '#api/flux/bucket.js';
import { receiverResource, type Receiver, type ReceiverSpec } from '#api/flux/receiver.js';
import type { KubeObject } from '#api/meta.js';
import { serveWebhooks } from '#controllers/receiver/server.js';
import { setUpReceivers } from '#controllers/receiver/setup.js';
import type { HandleWebhook } from '#controllers/receiver/webhooks.js';
import type { Listening } from '#runtime/process/listen.js';
import { createLogger } from '#runtime/process/log.js';
import { manifest, useDependants } from '../engine/flux/dependants.js';
import { useHarness } from '../source/harness.js';
import { conditionOf, readerOf, runControllers, type RunningControllers } from '../../support/harness.js';
import { auditEntriesUntilNow, auditPosition, eventually, freshNamespace } from '../../support/world.js';

const TOKEN = 'never-shown';
const sources = useHarness('receiver');
const dependants = useDependants(sources);
let stranger: string;
let controllers: RunningControllers;
let server: Listening;
const logged: string[] = [];
const log = createLogger('debug', { write: (line) => logged.push(line) });

function start(): void {
  const { host: kube, namespace } = sources;
  controllers = runControllers({ kube, log, namespace }, [
    (context) => {
      const receivers = setUpReceivers(context, { kube, allowCrossNamespace: false });
      handle = receivers.handle;
      return receivers.controller;
    },
  ]);
}
let handle: HandleWebhook;

beforeAll(async () => {
  stranger = await freshNamespace(sources.host, 'stranger');
  start();
  server = await serveWebhooks({ host: '127.0.0.1', port: 0, log, handle: (...webhook) => handle(...webhook) });
  for (const [name, token] of Object.entries({ token: TOKEN, other: `other-${TOKEN}` })) await writeToken(name, token);
});

afterAll(async () => {
  await server.close();
  await controllers.stop();
  expect(logged.join('')).not.toContain(TOKEN);
});

async function writeToken(name: string, token: string): Promise<void> {
  const object: KubeObject & { stringData: object } = {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: sources.namespace } },
    stringData: { token },
  };
  await sources.host.apply(secretResource, object, { fieldManager: 'test', force: true });
}

async function writeReceiver(name: string, spec: Partial<ReceiverSpec>): Promise<void> {
  const receiver: Receiver = {
    ...{ apiVersion: 'notification.toolkit.fluxcd.io/v1', kind: 'Receiver' },
    metadata: { name, namespace: sources.namespace },
    spec: { type: 'github', events: ['push'], resources: [], secretRef: { name: 'token' }, ...spec },
  };
  await sources.host.apply(receiverResource, receiver, { fieldManager: 'test', force: true });
}

const receivers = () => readerOf<Receiver>(sources.host, receiverResource, sources.namespace);

/** Waits until webhooks with this token are accepted at the path of a Receiver. */
async function pathOf(name: string, token = TOKEN): Promise<string> {
  const { status } = await receivers().until(name, ({ metadata, status: now }) => {
    expect(now).toMatchObject({ observedGeneration: metadata.generation, webhookPath: expect.any(String) as unknown });
    expect(conditionOf({ status: now ?? {} }, 'Ready')?.status).toBe('True');
  });
  const path = status?.webhookPath ?? '';
  // The cache comes a moment later. Nothing waits for this event.
  await eventually(async () => expect(await push(path, '{}', { token, event: 'probe' })).toBe(400));
  return path;
}

async function untilRejected(name: string, reason: string, message: RegExp): Promise<void> {
  const { status } = await receivers().until(name, ({ metadata, status: now }) => {
    const ready = conditionOf({ status: now ?? {} }, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason, observedGeneration: metadata.generation });
    expect(ready?.message).toMatch(message);
  });
  expect(status).not.toHaveProperty('webhookPath');
}

/** A push as GitHub sends it; `token` signs it. */
async function push(path: string, body: string, { token = TOKEN, event = 'push' } = {}): Promise<number> {
  const signature = `sha256=${createHmac('sha256', token).update(body).digest('hex')}`;
  const headers = {
    ...{ 'content-type': 'application/json', 'x-hub-signature-256': signature },
    ...{ 'x-github-event': event, 'x-github-delivery': `${Math.random()}` },
  };
  const response = await fetch(`http://127.0.0.1:${server.address.port}${path}`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

/** A body that no other webhook has. */
let bodies = 0;
function freshBody(fields: object = {}): string {
  return JSON.stringify({ ...fields, after: String((bodies += 1)) });
}

test('a push reaches the objects of a Kustomization, although every interval is an hour', async () => {
  await sources.commit(manifest('story', 'blue'));
  await sources.apply('GitRepository', 'story', { url: sources.gitUrl, ref: { branch: 'main' } });
  await dependants.useSource('GitRepository', 'story');
  await dependants.untilColor('story', 'blue');
  await writeReceiver('story', { resources: [{ kind: 'GitRepository', name: 'story' }] });
  const path = await pathOf('story');
  await sources.commit(manifest('story', 'green'));
  expect(await push(path, freshBody())).toBe(200);
  await dependants.untilColor('story', 'green');
});

describe('who may notify what', () => {
  /** A source that is not fetched, and so only changes by webhooks. */
  async function writeBucket(name: string, labels: Record<string, string> = {}, namespace = sources.namespace) {
    const object: KubeObject & { spec: object } = {
      ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'Bucket', metadata: { name, namespace, labels } },
      spec: { bucketName: 'bucket', endpoint: 'example.com', interval: '1h', suspend: true },
    };
    await sources.host.apply(bucketResource, object, { fieldManager: 'test', force: true });
  }
  async function requestedAt(name: string, namespace = sources.namespace): Promise<string | undefined> {
    const found = await sources.host.get(bucketResource, { name, namespace });
    return found?.metadata.annotations?.[REQUESTED_AT_ANNOTATION];
  }
  let path: string;

  beforeAll(async () => {
    await writeBucket('app', { app: 'web', tag: 'latest' });
    await writeBucket('theirs', { app: 'web' }, stranger);
    await writeReceiver('app', { resources: [{ kind: 'Bucket', name: 'app' }] });
    path = await pathOf('app');
  });
  let before: string | undefined;
  beforeEach(async () => {
    before = await requestedAt('app');
  });

  test('what is forged, unknown, too large or not listed changes nothing', async () => {
    const body = freshBody();
    expect(await push(path, body, { token: `other-${TOKEN}` })).toBe(404);
    const complaints = logged.filter((line) => line.includes('webhook refused: its signature or token is wrong'));
    expect(complaints.map((line) => (JSON.parse(line) as { receiver: string }).receiver)).toContain(
      `${sources.namespace}/app`,
    );
    expect(
      await push(
        path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        body,
      ),
    ).toBe(404);
    expect(await push(path, 'a'.repeat(1024 * 1024 + 1)).catch(() => 413)).toBe(413);
    expect(await push(path, body, { event: 'fork' })).toBe(400);
    expect(await requestedAt('app')).toBe(before);
  });

  test('a webhook counts once, whatever its headers say', async () => {
    const body = freshBody();
    expect(await push(path, body)).toBe(200);
    const first = await requestedAt('app');
    expect(first).not.toBe(before);
    expect(await push(path, body)).toBe(200);
    expect(await requestedAt('app')).toBe(first);
    expect(await push(path, freshBody())).toBe(200);
    expect(await requestedAt('app')).not.toBe(first);
  });

  test('a path that somebody wrote into a status opens nothing', async () => {
    await writeBucket('mine');
    const mine = { resources: [{ kind: 'Bucket' as const, name: 'mine' }], secretRef: { name: 'other' } };
    await writeReceiver('mine', mine);
    const own = await pathOf('mine', `other-${TOKEN}`);
    const ref = { name: 'mine', namespace: sources.namespace };
    const body = { status: { webhookPath: path } };
    await sources.host.patch(receiverResource, ref, { type: 'merge', body }, { subresource: 'status' });
    expect(await push(path, freshBody(), { token: `other-${TOKEN}` })).toBe(404);
    expect(await push(path, freshBody())).toBe(200);
    expect(await requestedAt('mine')).toBeUndefined();
    expect(await requestedAt('app')).not.toBe(before);
    expect(own).not.toBe(path);
  });

  test('labels and filters choose objects of the namespace', async () => {
    await writeBucket('stable', { app: 'web', tag: 'stable' });
    const resources = [{ kind: 'Bucket' as const, name: '*', matchLabels: { app: 'web' } }];
    await writeReceiver('labels', { resources, resourceFilter: 'res.metadata.labels.tag == req.tag' });
    const labels = await pathOf('labels');
    expect(await push(labels, freshBody({ tag: 'stable' }))).toBe(200);
    expect(await requestedAt('stable')).toBeDefined();
    expect(await requestedAt('app')).toBe(before);
    expect(await push(labels, '[]')).toBe(400);
    expect(await requestedAt('theirs', stranger)).toBeUndefined();
  });

  test('one object that is missing does not keep the others from theirs', async () => {
    const resources = ['gone', 'app'].map((name) => ({ kind: 'Bucket' as const, name }));
    await writeReceiver('partly', { resources });
    const [partly, body] = [await pathOf('partly'), freshBody()];
    expect(await push(partly, body)).toBe(500);
    const first = await requestedAt('app');
    expect(first).not.toBe(before);
    await writeBucket('gone');
    expect(await push(partly, body)).toBe(200);
    expect(await requestedAt('gone')).toBeDefined();
  });

  test('objects of another namespace are out of reach, and the Receiver says so', async () => {
    const resources = [{ kind: 'Bucket' as const, name: 'theirs', namespace: stranger }];
    await writeReceiver('abroad', { resources });
    await untilRejected('abroad', 'AccessDenied', /^spec\.resources\[0\]: namespace stranger-\w+ is another one/);
    expect(await requestedAt('theirs', stranger)).toBeUndefined();
  });

  test('a type that cannot be checked is rejected with the way out', async () => {
    await writeReceiver('google', { type: 'gcr' });
    await untilRejected('google', 'FeatureNotSupported', /^spec\.type gcr is not supported .*: use generic-hmac/);
  });

  test('a suspended Receiver accepts nothing', async () => {
    const resources = [{ kind: 'Bucket' as const, name: 'app' }];
    await writeReceiver('sleeps', { resources });
    const sleeps = await pathOf('sleeps');
    const ref = { name: 'sleeps', namespace: sources.namespace };
    await controllers.passes.after(ref, () => writeReceiver('sleeps', { resources, suspend: true }));
    expect(await push(sleeps, freshBody())).toBe(503);
    expect(await requestedAt('app')).toBe(before);
  });

  test('another token is another path, and without one there is none', async () => {
    await writeToken('rotated', TOKEN);
    const spec = { resources: [{ kind: 'Bucket' as const, name: 'app' }], secretRef: { name: 'rotated' } };
    await writeReceiver('rotated', spec);
    const first = await pathOf('rotated');
    await writeToken('rotated', `new-${TOKEN}`);
    await receivers().until('rotated', ({ status }) => expect(status?.webhookPath).not.toBe(first));
    expect(await push(first, freshBody())).toBe(404);
    const token = `new-${TOKEN}`;
    expect(await push(await pathOf('rotated', token), freshBody(), { token })).toBe(200);
    await sources.host.delete(secretResource, { name: 'rotated', namespace: sources.namespace });
    await untilRejected(
      'rotated',
      'TokenNotFound',
      /^Secret '\S+\/rotated' named by spec\.secretRef does not exist: create/,
    );
  });

  test('a restart writes nothing, and the path stays', async () => {
    const ref = { name: 'app', namespace: sources.namespace };
    await controllers.passes.atRest(ref);
    await controllers.stop();
    const since = await auditPosition(sources.world.host);
    start();
    await eventually(async () => expect(await controllers.passes.atRest(ref)).toBeGreaterThan(0));
    const entries = await auditEntriesUntilNow(sources.world.host, since);
    const ours = entries.filter(({ objectRef }) => objectRef?.resource === 'receivers' && objectRef.name === 'app');
    expect(ours.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    expect(await push(path, freshBody())).toBe(200);
    expect(await requestedAt('app')).not.toBe(before);
  });
});
