import type { LookupFunction } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import { defined } from '#lib/plain.js';

const POOL = { pipelining: 1, keepAliveTimeout: 30_000 };
const CONNECT_TIMEOUT_MS = 10_000;

/** Certificates as PEM. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface ConnectionsOptions {
  /** Scheme, host and port of the API server. */
  readonly origin: string;
  /** URL of an http(s) proxy; it may hold a user and a password. */
  readonly proxyUrl?: string | undefined;
  /** Of the names of the server and the proxy; that of the system by default. */
  readonly lookup?: LookupFunction | undefined;
  /** Most connections at the same time; null: as many as there are requests. */
  readonly most: number | null;
}

function open({ origin, proxyUrl, lookup, most }: ConnectionsOptions, tls: TlsOptions): Dispatcher {
  const named = { timeout: CONNECT_TIMEOUT_MS, ...defined({ lookup }) };
  const connect = { ...named, ...tls };
  const pool = { ...POOL, connections: most };
  if (proxyUrl === undefined) return new Pool(origin, { ...pool, connect });
  return new ProxyAgent({ ...pool, uri: proxyUrl, proxyTls: named, requestTls: connect });
}

/** The connections to one server: one pool, and a new one when the certificates changed. */
export class Connections {
  readonly #options: ConnectionsOptions;
  #current: { readonly tls: TlsOptions; readonly pool: Dispatcher } | undefined;
  /** Pools of old certificates whose last requests still run. */
  readonly #retired = new Set<Dispatcher>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** The pool whose connections were made with these certificates. */
  poolFor(tls: TlsOptions): Dispatcher {
    const current = this.#current;
    if (current !== undefined && (current.tls === tls || isDeepStrictEqual(current.tls, tls))) return current.pool;
    if (current !== undefined) this.#retire(current.pool);
    const pool = open(this.#options, tls);
    this.#current = { tls, pool };
    return pool;
  }

  async close(): Promise<void> {
    const pools = this.#current === undefined ? [...this.#retired] : [this.#current.pool, ...this.#retired];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #retire(pool: Dispatcher): void {
    this.#retired.add(pool);
    const gone = (): boolean => this.#retired.delete(pool);
    // Waits for its requests. A failed one reports to its caller.
    pool.close().then(gone, gone);
  }
}
