import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';
/** A throttled line passes this many pieces a second. */
const PIECES_PER_SECOND = 10;

/** A TCP proxy in front of a real server, to break what runs through it. */
export interface TcpProxy {
  readonly port: number;
  /** Connections taken since the start. */
  readonly connections: number;
  /** Ends every connection at once, as a dying load balancer does; new ones are let through. */
  cut(): void;
  /** The same with a reset (RST). */
  reset(): void;
  /** Ends the connection on which the `bytes`th byte of answers from now on passes, exactly there. */
  cutAfter(bytes: number): void;
  /** Every chunk waits this long in each direction; 0 for none. */
  slow(delayMs: number): void;
  /** Answers pass at this rate on each connection; Infinity for no limit. */
  throttle(bytesPerSecond: number): void;
  /** Connections stay, new ones are taken, and not a byte passes until `restore`. */
  partition(): void;
  /** Ends every connection; new ones are taken and ended until `restore`. */
  block(): void;
  /** Ends every connection; the port is closed until `restore`. */
  refuse(): Promise<void>;
  /** Undoes every fault; what a partition held back passes now. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** What happens to the bytes of all connections at this moment. */
interface Line {
  delayMs: number;
  bytesPerSecond: number;
  answerBytesLeft: number;
  blocked: boolean;
  /** Set during a partition: resolves with its end. */
  held: Promise<void> | undefined;
  release: () => void;
}

function soundLine(): Line {
  return {
    delayMs: 0,
    bytesPerSecond: Infinity,
    answerBytesLeft: Infinity,
    blocked: false,
    held: undefined,
    release: () => undefined,
  };
}

/** What arrives; the socket stays as it is, so that the other direction goes on after the end of this one. */
function arriving(from: Socket): AsyncIterable<Buffer> {
  return from.iterator({ destroyOnReturn: false });
}

async function write(to: Socket, bytes: Buffer): Promise<void> {
  if (!to.write(bytes)) await once(to, 'drain');
}

function* piecesOf(chunk: Buffer, size: number): Iterable<Buffer> {
  for (let start = 0; start < chunk.length; start += size) yield chunk.subarray(start, start + size);
}

async function passSlowly(to: Socket, chunk: Buffer, bytesPerSecond: number): Promise<void> {
  for (const piece of piecesOf(chunk, Math.max(1, Math.floor(bytesPerSecond / PIECES_PER_SECOND)))) {
    await delay(1_000 / PIECES_PER_SECOND);
    await write(to, piece);
  }
}

async function passRequests(from: Socket, to: Socket, line: Line): Promise<void> {
  for await (const chunk of arriving(from)) {
    if (line.delayMs > 0) await delay(line.delayMs);
    await line.held;
    await write(to, chunk);
  }
  to.end();
}

async function passAnswers(from: Socket, to: Socket, line: Line): Promise<void> {
  for await (const chunk of arriving(from)) {
    if (line.delayMs > 0) await delay(line.delayMs);
    await line.held;
    const passed = chunk.subarray(0, Math.min(chunk.length, line.answerBytesLeft));
    line.answerBytesLeft -= passed.length;
    if (line.bytesPerSecond < Infinity) await passSlowly(to, passed, line.bytesPerSecond);
    else if (passed.length > 0) await write(to, passed);
    if (line.answerBytesLeft <= 0) {
      line.answerBytesLeft = Infinity;
      from.destroy();
      return;
    }
  }
  to.end();
}

class FaultyLine implements TcpProxy {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #line = soundLine();
  #server: Server | undefined;
  #connections = 0;
  port = 0;

  constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  get connections(): number {
    return this.#connections;
  }

  async listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#take(client));
    this.#server = server;
    await once(server.listen(this.port, LOOPBACK), 'listening');
    // A TCP server has this form of address.
    this.port = (server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  cutAfter(bytes: number): void {
    this.#line.answerBytesLeft = bytes;
  }

  slow(delayMs: number): void {
    this.#line.delayMs = delayMs;
  }

  throttle(bytesPerSecond: number): void {
    this.#line.bytesPerSecond = bytesPerSecond;
  }

  partition(): void {
    const line = this.#line;
    line.held ??= new Promise((resolve) => (line.release = resolve));
  }

  block(): void {
    this.#line.blocked = true;
    this.cut();
  }

  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.cut();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async restore(): Promise<void> {
    const { release } = this.#line;
    // Bytes under way belong to the same line: it changes in place.
    Object.assign(this.#line, soundLine());
    release();
    if (this.#server === undefined) await this.listen();
  }

  async close(): Promise<void> {
    this.#line.release();
    await this.refuse();
  }

  #take(client: Socket): void {
    this.#connections += 1;
    if (this.#line.blocked) {
      client.destroy();
      return;
    }
    const upstream = this.#track(connect({ ...this.#target, allowHalfOpen: true }));
    this.#track(client).on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroySoon());
    // A broken connection is what tests are after: its error is the client's to see.
    passRequests(client, upstream, this.#line).catch(() => upstream.destroy());
    passAnswers(upstream, client, this.#line).catch(() => client.destroy());
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
  }
}

/** Listens on a free port of loopback. TLS passes through unread, so the server's certificate must name 127.0.0.1. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const proxy = new FaultyLine(target);
  await proxy.listen();
  return proxy;
}
