import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import * as tar from 'tar';
import { Agent, fetch, ProxyAgent, type Dispatcher, type Response } from 'undici';
import { proxyFor, proxySettings } from '#lib/net/proxy.js';
import { isExecutable, type ToolModule } from './cache.js';
import { fillCache, type Filling, type FillOptions } from './cache-fill.js';
import { checksumIn, releaseOf, type Platform, type Release } from './releases.js';
import type { ToolName } from './table.js';

const AT_ONCE = 3;
const MOST_CHECKSUM_BYTES = 4 << 20;
const MOST_BYTES = 512 << 20;
const MOST_REDIRECTS = 20;
/** Time limit for connecting to a server if the tools can also be compiled. */
const TRIAL_CONNECT_MS = 3_000;
/** Without a byte for this long, a server has stopped sending. */
const SILENCE_MS = 30_000;

export interface DownloadOptions extends FillOptions {
  env: NodeJS.ProcessEnv;
  /** How far it is. */
  onProgress: (line: string) => void;
  platform: Platform;
  /** URL below which a mirror has `HOST/PATH` of every address; undefined for the addresses themselves. */
  mirror?: string | undefined;
  /** The tools can also be compiled, so an unreachable server is given up soon. */
  isTrial?: true;
  /** Hosts that could not be reached. A trial skips them, and each download adds its own. */
  unreachable?: Set<string>;
}

/** A released program could not be fetched. */
export class DownloadError extends Error {
  /** The message without advice. */
  readonly problem: string;

  constructor(tool: ToolName, url: string, why: string, options?: ErrorOptions) {
    const problem = `cannot download ${tool} from ${url}: ${why}`;
    super(`${problem}. Repeat the command to go on from here, or with --compile to compile it with Go.`, options);
    this.name = 'DownloadError';
    this.problem = problem;
  }
}

/** Codes of errors that occur before a connection is made. */
const NO_CONNECTION: ReadonlySet<string> = new Set(
  ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
);

interface Request extends DownloadOptions {
  readonly tool: ToolName;
}

function addressOf(location: string, { mirror }: DownloadOptions): string {
  return mirror === undefined ? `https://${location}` : `${mirror.replace(/\/+$/, '')}/${location}`;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}

function connectionTo(url: string, { env, isTrial }: DownloadOptions): Dispatcher {
  const connect = isTrial === true ? { connect: { timeout: TRIAL_CONNECT_MS } } : {};
  const limits = { headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, ...connect };
  const proxy = proxyFor(url, proxySettings(env));
  return proxy === undefined ? new Agent(limits) : new ProxyAgent({ uri: proxy, ...limits });
}

/** @internal Where a redirect leads. Throws when that is less safe than where it comes from. */
export function redirection(from: string, location: string): string {
  const to = new URL(location, from);
  const schemes = from.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
  if (schemes.includes(to.protocol)) return to.href;
  throw new Error(`the server redirects to ${to.protocol}//${to.host}, which is not HTTPS`);
}

/** The answer to a GET where all redirects end. */
async function follow(url: string, dispatcher: Dispatcher, signal: AbortSignal | undefined): Promise<Response> {
  let address = url;
  for (let count = 0; count <= MOST_REDIRECTS; count += 1) {
    const response = await fetch(address, { dispatcher, redirect: 'manual', signal: signal ?? null });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    address = redirection(address, location);
  }
  throw new Error('redirect count exceeded');
}

/** Runs `read` with the answer to a GET, and closes the connection. */
async function get<T>(url: string, request: Request, read: (response: Response) => Promise<T>): Promise<T> {
  const { tool, signal, isTrial, unreachable } = request;
  const { host } = new URL(url);
  if (isTrial === true && unreachable?.has(host) === true) throw new DownloadError(tool, url, `${host} cannot be reached`);
  const dispatcher = connectionTo(url, request);
  try {
    const response = await follow(url, dispatcher, signal);
    if (!response.ok) throw new DownloadError(tool, url, `the server answered ${response.status}`);
    return await read(response);
  } catch (error: unknown) {
    if (error instanceof DownloadError) throw error;
    signal?.throwIfAborted();
    const code = codeOf(error);
    if (NO_CONNECTION.has(code)) unreachable?.add(host);
    throw new DownloadError(tool, url, code, { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

/** Passes at most `most` bytes on, and calls `each` with them. */
function limited(most: number, each: (chunk: Buffer) => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(new Error(`the answer is larger than ${most} bytes`));
      else {
        each(chunk);
        done(null, chunk);
      }
    },
  });
}

function bodyOf(response: Response): Readable {
  if (response.body === null) throw new Error('the answer is empty');
  return Readable.fromWeb(response.body);
}

async function expectedChecksum(release: Release, request: Request): Promise<string> {
  const url = addressOf(release.checksums, request);
  const chunks: Buffer[] = [];
  await get(url, request, async (response) => {
    const collect = limited(MOST_CHECKSUM_BYTES, (chunk) => chunks.push(chunk));
    await pipeline(bodyOf(response), collect.resume());
  });
  const name = decodeURIComponent(path.posix.basename(release.file));
  const checksum = checksumIn(Buffer.concat(chunks).toString('utf8'), name);
  if (checksum === undefined) throw new DownloadError(request.tool, url, `it has no SHA-256 checksum of ${name}`);
  return checksum;
}

/** Fetches the file of a release into `folder` and compares its checksum. */
async function fetchFile(release: Release, folder: string, request: Request): Promise<string> {
  const expected = await expectedChecksum(release, request);
  const url = addressOf(release.file, request);
  const file = path.join(folder, 'download');
  const hash = createHash('sha256');
  await get(url, request, (response) =>
    pipeline(
      bodyOf(response),
      limited(MOST_BYTES, (chunk) => hash.update(chunk)),
      createWriteStream(file),
    ),
  );
  const actual = hash.digest('hex');
  if (actual === expected) return file;
  throw new DownloadError(request.tool, url, `its SHA-256 is ${actual}, but ${expected} was published`);
}

/** The program itself, out of its archive. */
async function programIn(release: Release, file: string, folder: string, request: Request): Promise<string> {
  const { member } = release;
  if (member === undefined) return file;
  const isProgram = (name: string): boolean => name.replace(/^\.\//, '') === member;
  await tar.extract({ file, cwd: folder, filter: isProgram });
  const program = path.join(folder, member);
  if (await isExecutable(program)) return program;
  throw new DownloadError(request.tool, addressOf(release.file, request), `the archive has no program ${member}`);
}

async function fetchTool(release: Release, filling: Filling, request: Request): Promise<void> {
  const { tool } = request;
  request.onProgress(`downloading ${tool}`);
  const folder = await mkdtemp(path.join(filling.temporary, `${tool}-`));
  const file = await fetchFile(release, folder, request);
  await filling.keep(tool, await programIn(release, file, folder, request));
  request.log(`downloaded ${tool} from ${addressOf(release.file, request)}`);
}

/**
 * Fetches those of the tools that are released for the platform and not in the cache, and checks them against their
 * published checksums. What was fetched before something failed stays. Throws DownloadError.
 */
export async function downloadTools(
  module: ToolModule,
  tools: readonly ToolName[],
  options: DownloadOptions,
): Promise<void> {
  const limit = pLimit(AT_ONCE);
  await fillCache(module, tools, options, async (filling) => {
    const downloads = filling.missing.map((tool) =>
      limit(async () => {
        const release = releaseOf(tool, module.goMod, options.platform);
        if (release !== undefined) await fetchTool(release, filling, { ...options, tool });
      }),
    );
    const failed = (await Promise.allSettled(downloads)).find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  });
}
