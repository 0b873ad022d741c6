import { expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, grant, send, startConsole, type Console } from './harness.js';
import { SPEC } from './people.js';

const READERS = 3_000;
const STREAMS = {
  ...{ perUser: 10_000, total: 150, heartbeatMs: 100 },
  ...{ waiting: { most: 5_000, characters: 100_000 } },
};
/** As long as the message of a condition may be. */
const MESSAGE = 'x'.repeat(30_000);
/** More than the buffers of a connection take. */
const MOST_CHANGES = 400;

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly server: Console;
  readonly token: string;
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'slow');
    const { user, token } = await account(kube, namespace, 'reader');
    const rules = [{ apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['get', 'list'] }];
    await grant(kube, 'reader', { namespace, user, rules });
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', spec: SPEC };
    await kube.create(applicationResource, { ...object, metadata: { name: 'web', namespace } });
    const server = await startConsole(world, { kube, namespace, more: { streams: STREAMS } });
    return { kube, namespace, server, token };
  },
  async ({ server, kube }) => {
    await server.stop();
    await kube.close();
  },
);

/** What came over a connection; it reads its first bytes, and then only what it is told to. */
class Reader {
  readonly #socket: Socket;
  readonly answer: Promise<string>;
  text = '';
  isGone = false;

  constructor(lastId = '') {
    const { server, namespace, token } = setting;
    this.#socket = connect(server.port, '127.0.0.1');
    this.answer = new Promise((resolve) => {
      this.#socket.on('error', () => resolve('gone'));
      this.#socket.on('close', () => {
        this.isGone = true;
        resolve('gone');
      });
      this.#socket.once('data', (chunk: Buffer) => {
        this.#socket.pause();
        this.text += chunk.toString();
        resolve(this.text.slice(9, 12));
      });
    });
    const path = `/api/v1/namespaces/${namespace}/changes`;
    const lines = [`GET ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${token}`];
    this.#socket.write([...lines, ...(lastId === '' ? [] : [`last-event-id: ${lastId}`]), '', ''].join('\r\n'));
  }

  readOn(): void {
    this.#socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.#socket.resume();
  }

  /** The number of the last change that came whole. */
  lastId(): string {
    const whole = this.text.slice(0, this.text.lastIndexOf('\n\n'));
    return [...whole.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
  }

  end(): void {
    this.#socket.destroy();
  }
}

async function change(turn: number): Promise<void> {
  const { kube, namespace, server } = setting;
  const ref = { name: 'web', namespace };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'False', reason: 'Failed', message: `${turn} ${MESSAGE}`, lastTransitionTime };
  const body = { status: { conditions: [ready] } };
  await kube.patch<Application>(applicationResource, ref, { type: 'merge', body }, { subresource: 'status' });
  await eventually(() => {
    const [condition] = server.applications.get(ref)?.status?.conditions ?? [];
    if (condition?.message.startsWith(`${turn} `) !== true) throw new Error('stale');
  });
}

it('lets thousands of readers go who read nothing, keeps little of them, and goes on where they were', async () => {
  const { server, token } = setting;
  const readers = Array.from({ length: READERS }, () => new Reader());
  const codes = await Promise.all(readers.map(({ answer }) => answer));
  const admitted = readers.filter((_, index) => codes[index] === '200');
  expect([admitted.length, codes.filter((code) => ['200', '429', 'gone'].includes(code)).length]).toEqual([
    STREAMS.total,
    READERS,
  ]);
  for (const reader of readers) if (!admitted.includes(reader)) reader.end();
  const before = process.memoryUsage();
  let turn = 0;
  // Somebody who is let in again is a sign that a slow one was let go.
  let code = 429;
  while (code === 429 && turn < MOST_CHANGES) {
    await change((turn += 1));
    ({ code } = await send(server.port, `/api/v1/namespaces/${setting.namespace}/changes`, { token }));
  }
  const { rss } = process.memoryUsage();
  expect(code).toBe(200);
  // What waits for each, and what other tests of this process may need meanwhile.
  expect(rss - before.rss).toBeLessThan(STREAMS.total * 2 * STREAMS.waiting.characters + 128 * 1024 * 1024);

  const [slow] = admitted;
  slow?.readOn();
  await eventually(() => expect(slow?.isGone).toBe(true));
  const lastId = slow?.lastId() ?? '';
  expect(Number(lastId.split('.')[1])).toBeGreaterThan(0);
  for (const reader of admitted) reader.end();
  const again = new Reader(lastId);
  await eventually(async () => expect(await again.answer).toBe('200'));
  again.readOn();
  await change((turn += 1));
  await eventually(() => expect(again.text).toContain(`"message":"${turn} x`));
  expect([again.text.includes('event: ready'), again.text.includes('event: reset')]).toEqual([true, false]);
  again.end();
});
