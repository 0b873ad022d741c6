import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from '#bench/faults/tcp-proxy.js';
import { eventually } from '#bench/scenarios/eventually.js';

/** A client and everything that it was told. */
interface Client {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly end: Promise<string>;
}

describe('the TCP proxy', () => {
  let echo: Server;
  let proxy: TcpProxy;
  const clients: Client[] = [];

  async function client(): Promise<Client> {
    const socket = connect(proxy.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let outcome = 'closed';
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => (outcome = error.code ?? 'error'));
    const end = new Promise<string>((resolve) => socket.once('close', () => resolve(outcome)));
    await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), end]);
    const made = { socket, heard: () => Buffer.concat(chunks).toString('utf8'), end };
    clients.push(made);
    return made;
  }

  beforeEach(async () => {
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => socket.destroy()).pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    proxy = await startTcpProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  });

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await proxy.close();
    await new Promise((resolve) => echo.close(resolve));
  });

  it('passes bytes both ways, and the end of them', async () => {
    const one = await client();
    one.socket.end('hello');
    expect(await one.end).toBe('closed');
    expect(one.heard()).toBe('hello');
  });

  it('cuts what is open and takes what comes', async () => {
    const one = await client();
    await eventually(() => expect(proxy.connections).toBe(1));
    proxy.cut();
    await one.end;
    const two = await client();
    two.socket.write('again');
    await eventually(() => expect(two.heard()).toBe('again'));
  });

  it('resets', async () => {
    const one = await client();
    one.socket.write('x');
    await eventually(() => expect(one.heard()).toBe('x'));
    proxy.reset();
    expect(await one.end).toBe('ECONNRESET');
  });

  it('cuts at the very byte, once', async () => {
    proxy.cutAfter(7);
    const one = await client();
    one.socket.write('0123456789');
    await one.end;
    expect(one.heard()).toBe('0123456');
    const two = await client();
    two.socket.end('0123456789');
    await two.end;
    expect(two.heard()).toBe('0123456789');
  });

  it('holds everything back in a partition, and lets it pass when that ends', async () => {
    proxy.partition();
    const one = await client();
    one.socket.write('held');
    const asked = performance.now();
    await eventually(() => expect(performance.now() - asked).toBeGreaterThan(200));
    expect(one.heard()).toBe('');
    await proxy.restore();
    await eventually(() => expect(one.heard()).toBe('held'));
  });

  it('ends every connection while it blocks, and listens to nobody while it refuses', async () => {
    proxy.block();
    const one = await client();
    one.socket.write('x');
    await one.end;
    expect(one.heard()).toBe('');
    await proxy.refuse();
    const two = await client();
    expect(await two.end).toBe('ECONNREFUSED');
    await proxy.restore();
    const three = await client();
    three.socket.write('back');
    await eventually(() => expect(three.heard()).toBe('back'));
  });

  it('is as slow as it is told', async () => {
    proxy.slow(100);
    const one = await client();
    const delayedAt = performance.now();
    one.socket.write('x');
    await eventually(() => expect(one.heard()).toBe('x'), { intervalMs: 5 });
    expect(performance.now() - delayedAt).toBeGreaterThanOrEqual(190);
    proxy.slow(0);
    proxy.throttle(1_000);
    const throttledAt = performance.now();
    one.socket.write('y'.repeat(500));
    await eventually(() => expect(one.heard()).toHaveLength(501), { intervalMs: 5 });
    expect(performance.now() - throttledAt).toBeGreaterThanOrEqual(400);
  });
});
