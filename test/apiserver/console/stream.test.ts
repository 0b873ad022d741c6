import { afterEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { applicationResource } from '#api/v1alpha1/application.js';
import { fixture } from '../../support/fixture.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, send, startConsole, type Console } from './harness.js';
import { dismiss, gatherPeople, withWeb, type People } from './people.js';

interface Setting extends People {
  readonly server: Console;
}

const LIMITS = {
  ...{ heartbeatMs: 50, lifetimeMs: 60_000, perUser: 3, total: 5 },
  ...{ changes: { most: 5, characters: 1_000_000 }, waiting: { most: 1_000, characters: 20_000 } },
};

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const people = await gatherPeople(world, 'stream');
    const { kube, namespace } = people;
    const server = await startConsole(world, { kube, namespace, more: { streams: LIMITS } });
    return { ...people, server };
  },
  async (people) => {
    await people.server.stop();
    await dismiss(people);
  },
);

interface Event {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

interface Listener {
  text: string;
  isClosed: boolean;
  events(): Event[];
  end(): void;
}

const open: Listener[] = [];

function eventsIn(text: string): Event[] {
  const blocks = text.split('\n\n').filter((block) => block.includes('data: '));
  return blocks.map((block) => {
    const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const data = JSON.parse(field('data') ?? '{}') as Event['data'];
    return { id: field('id'), event: field('event') ?? '', data };
  });
}

function listen(who: keyof People['tokens'], { namespaced = true, lastId = '' } = {}): Promise<Listener> {
  const { server, namespace, tokens } = setting;
  const path = `/api/v1${namespaced ? `/namespaces/${namespace}` : ''}/changes`;
  const headers = { authorization: `Bearer ${tokens[who]}`, ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, headers }, (response: IncomingMessage) => {
      const listener: Listener = {
        ...{ text: '', isClosed: false, events: () => eventsIn(listener.text), end: () => response.destroy() },
      };
      response.on('data', (chunk: Buffer) => (listener.text += chunk.toString()));
      response.on('close', () => (listener.isClosed = true));
      open.push(listener);
      resolve(listener);
    });
    asked.on('error', reject);
    asked.end();
  });
}

afterEach(() => {
  for (const listener of open.splice(0)) listener.end();
});

async function label(value: string): Promise<void> {
  const { kube, namespace } = setting;
  const body = { metadata: { labels: { turn: value } } };
  await kube.patch(applicationResource, { name: 'web', namespace }, { type: 'merge', body });
}

const turnsOf = (listener: Listener): unknown[] =>
  listener
    .events()
    .flatMap(({ event, data }) => (event === 'updated' ? [(data['labels'] as { turn?: string }).turn] : []));

async function heard(listener: Listener, turn: string): Promise<void> {
  await eventually(() => expect(turnsOf(listener)).toContain(turn));
}

describe('a stream of changes', () => {
  it('has those that the user may list, and no others', async () => {
    await withWeb(setting);
    const [viewer, everywhere, stranger] = [
      await listen('viewer'),
      await listen('viewer', { namespaced: false }),
      await listen('stranger', { namespaced: false }),
    ];
    await label('one');
    await heard(viewer, 'one');
    await heard(everywhere, 'one');
    expect(viewer.events().at(-1)?.data).toMatchObject({
      name: 'web',
      namespace: setting.namespace,
      state: 'Progressing',
    });
    await eventually(() => expect(stranger.text).toContain(': still here'));
    expect(stranger.events().map(({ event }) => event)).toEqual(['ready']);
  });

  it('goes on after the last event that was read, without gaps', async () => {
    await withWeb(setting);
    const first = await listen('viewer');
    await label('a');
    await heard(first, 'a');
    const lastId = first.events().at(-1)?.id ?? '';
    first.end();
    await label('b');
    await label('c');
    const second = await listen('viewer', { lastId });
    await heard(second, 'c');
    expect(turnsOf(second)).toEqual(['b', 'c']);
    expect(second.events()[0]).toMatchObject({ event: 'ready', id: lastId });
  });

  it.each(['unknown.7', 'unknown'])('begins anew after %s, which it does not know', async (lastId) => {
    expect((await withWeb(setting)).metadata.name).toBe('web');
    const listener = await listen('viewer', { lastId });
    await eventually(() => expect(listener.events()[0]).toMatchObject({ event: 'reset', id: expect.any(String) }));
  });

  it('begins anew after more changes than are kept', async () => {
    await withWeb(setting);
    const first = await listen('viewer');
    await eventually(() => expect(first.events()).not.toEqual([]));
    for (const turn of ['1', '2', '3', '4', '5', '6', '7']) await label(turn);
    await heard(first, '7');
    const second = await listen('viewer', { lastId: first.events()[0]?.id ?? '' });
    await eventually(() => expect(second.events()[0]?.event).toBe('reset'));
  });

  it('says what was deleted', async () => {
    const { metadata } = await withWeb(setting);
    const listener = await listen('viewer');
    await eventually(() => expect(listener.events()).not.toEqual([]));
    await setting.kube.delete(applicationResource, metadata);
    const { name, namespace, uid } = metadata;
    await eventually(() =>
      expect(listener.events().at(-1)).toMatchObject({ event: 'deleted', data: { name, namespace, uid } }),
    );
  });

  it('is refused beyond the limit of a user, until one is closed', async () => {
    const three = [await listen('viewer'), await listen('viewer'), await listen('viewer')];
    const path = `/api/v1/namespaces/${setting.namespace}/changes`;
    const ask = (token: string) => send(setting.server.port, path, { token });
    const { viewer, member } = setting.tokens;
    expect(await ask(viewer)).toMatchObject({ code: 429, text: expect.stringContaining('has 3 streams') });
    expect((await ask(member)).code).toBe(200);
    three[0]?.end();
    await eventually(async () => expect((await ask(viewer)).code).toBe(200));
  });
});

it('ends with the server', async () => {
  const world = await useWorld();
  const { kube, namespace } = setting;
  await account(kube, namespace, 'console');
  const other = await startConsole(world, { kube, namespace });
  const { tokens } = setting;
  const socket = connect(other.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(`GET /api/v1/changes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.viewer}\r\n\r\n`);
  await eventually(() => expect(text).toContain('event: ready'));
  await other.stop();
  await eventually(() => expect(text).toContain('the server is stopping'));
});
