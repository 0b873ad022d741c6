import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { splitApiVersion, type ResourceType } from '#api/meta.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { answerTooLong } from '#runtime/client/answer-limits.js';
import { sleep } from '#runtime/until.js';
import { CancelledError, isNotFound, TerminalError, TransientError } from '#lib/errors.js';
import { createFairLru, type FairLru } from '#lib/fair-lru.js';
import type { Lru } from '#lib/lru.js';
import { isMap } from '#lib/plain.js';
import { groupVersionPath } from '#lib/net/urls.js';
import {
  DiscoveryAllowance,
  findKind,
  groupVersionsIn,
  isName,
  kindsIn,
  sizeOfKinds,
  sizeOfNames,
  type ServedKind,
} from './discovery-answers.js';
import type { NewKinds } from './new-kinds.js';
import type { Capabilities, ServedOptions } from './member.js';

const PARALLEL = 8;
/** A kind that is not there is looked up again, but never more often than this: a wrong manifest must not flood. */
const LOOKUP_INTERVAL_MS = 1_000;
const SERVER_REUSE_MS = 30_000;
const KINDS_REUSE_MS = 600_000;
/** Thousands of kinds, described at length; more would take the parser seconds. */
const MOST = { maxBytes: 4 * 1024 * 1024 } as const;
/** Most versions of a group that are searched for a kind. Groups with a version per release of an API have dozens. */
const MOST_VERSIONS = 100;
/** Shared by all members; enough for several hundred. */
const MOST_KIND_BYTES = 128 * 1024 * 1024;
/** For versions and groups, which are asked for again soon; enough for a thousand members. */
const MOST_SERVER_BYTES = 32 * 1024 * 1024;

/** The version and API versions of a server. */
interface Server {
  readonly version: string;
  readonly groupVersions: readonly string[];
}

type Kinds = readonly ServedKind[];

/** One response of the server, shared by all callers that wait for it. */
export interface Answer<T> {
  readonly askedAt: number;
  readonly value: Promise<T>;
  /** What `value` came to, once it has. */
  readonly settled?: T;
}

/** The answers of all servers. With too many bytes, the tenant whose members have most loses its oldest ones. */
export interface KeptAnswers {
  readonly kinds: FairLru<Answer<Kinds>>;
  readonly servers: FairLru<Answer<Server>>;
}

export function createKeptAnswers(mostKindBytes = MOST_KIND_BYTES): KeptAnswers {
  return {
    kinds: createFairLru(mostKindBytes, ({ settled = [] }) => sizeOfKinds(settled)),
    servers: createFairLru(MOST_SERVER_BYTES, ({ settled }) => sizeOfNames(settled?.groupVersions ?? [])),
  };
}

/** Keeps an answer, and what it comes to, until it fails or another one is kept. Who awaits its value gets the error. */
function keep<T>(all: Lru<Answer<T>>, key: string, answer: Answer<T>): Promise<T> {
  all.set(key, answer);
  const isStill = (): boolean => all.get(key)?.value === answer.value;
  answer.value.then(
    (settled) => isStill() && all.set(key, { ...answer, settled }),
    () => isStill() && all.delete(key),
  );
  return answer.value;
}

/** A caller stops waiting when its signal is aborted; the shared request continues for the others. */
async function until<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  if (signal.aborted) throw new CancelledError();
  let cancel: () => void = () => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new CancelledError());
    signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([answer, cancelled]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * The kinds that one API server serves. It asks per group and version, caches the answers, and asks again when
 * something is missing. Only the name, plural and scope of a kind are cached.
 */
export class Discovery {
  readonly #kube: Kube;
  readonly #newKinds: NewKinds;
  readonly #kinds: Lru<Answer<Kinds>>;
  readonly #servers: Lru<Answer<Server>>;
  /** Clients with another credential may get other answers from the same server, so they share no cache entries. */
  readonly #id = randomUUID();

  /** `newKinds`: shared by all clients of this server; `kept`: shared by all clients of any server. */
  constructor(kube: Kube, newKinds: NewKinds, kept = createKeptAnswers()) {
    this.#kube = kube;
    this.#newKinds = newKinds;
    const { tenant = '' } = kube.limits?.inAll ?? {};
    this.#kinds = kept.kinds.of(tenant);
    this.#servers = kept.servers.of(tenant);
  }

  /** Errors: TerminalError `NoKindMatch`, and what the client throws. */
  async resourceType(apiVersion: string, kind: string, { signal }: RequestOptions = {}): Promise<ResourceType> {
    const kept = this.#fresh(apiVersion);
    const known = kept && findKind(await until(kept.value, signal), apiVersion, kind);
    const found = known ?? findKind(await this.#lookUpAgain(apiVersion, kept, signal), apiVersion, kind);
    if (found !== undefined) return found;
    throw new TerminalError(
      'NoKindMatch',
      `${this.#kube.server} serves no kind ${kind} in ${apiVersion}: install the CustomResourceDefinition that defines it, or correct apiVersion and kind`,
    );
  }

  /**
   * Like resourceType, but in another version of the group where this one is not served, or no longer. `afresh` asks the
   * server: in a version that it served a moment ago, nothing is found any more.
   */
  async servedType(
    apiVersion: string,
    kind: string,
    { signal, afresh = false }: ServedOptions = {},
  ): Promise<ResourceType> {
    const kept = afresh ? undefined : this.#fresh(apiVersion);
    const served = findKind(await until(kept?.value ?? this.#ask(apiVersion), signal), apiVersion, kind);
    const found = served ?? (await this.#inOtherVersions(apiVersion, kind, signal));
    return found ?? this.resourceType(apiVersion, kind, { signal });
  }

  /** The version and every kind. A group that does not answer (a broken APIService) is listed without its kinds. */
  async capabilities({ signal }: RequestOptions = {}): Promise<Capabilities> {
    const { version, groupVersions } = await until(this.#server(), signal);
    const limit = pLimit(PARALLEL);
    const allowance = new DiscoveryAllowance(this.#kube);
    const asked = groupVersions.map((name) => limit(() => this.#kindsIn(name, allowance, signal)));
    try {
      const kinds = await Promise.all(asked);
      return { kubeVersion: version, apiVersions: [...new Set([...groupVersions, ...kinds.flat()])].sort() };
    } finally {
      // After a failure, the requests that have not started are dropped.
      limit.clearQueue();
    }
  }

  #fresh(apiVersion: string): Answer<Kinds> | undefined {
    const kept = this.#kinds.get(this.#keyOf(apiVersion));
    if (kept === undefined) return undefined;
    const served = new Set((kept.settled ?? []).map(({ kind }) => kind));
    const isBehind =
      kept.settled !== undefined && [...this.#newKinds.kindsIn(apiVersion)].some((kind) => !served.has(kind));
    return performance.now() - kept.askedAt < (isBehind ? LOOKUP_INTERVAL_MS : KINDS_REUSE_MS) ? kept : undefined;
  }

  /** A list asked for after `seen`: that of somebody else's miss, or a new one when its time has come. */
  async #lookUpAgain(
    apiVersion: string,
    seen: Answer<Kinds> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Kinds> {
    if (seen !== undefined) await sleep(Math.max(0, seen.askedAt + LOOKUP_INTERVAL_MS - performance.now()), signal);
    const kept = this.#fresh(apiVersion);
    return until(kept !== undefined && kept.value !== seen?.value ? kept.value : this.#ask(apiVersion), signal);
  }

  #keyOf(apiVersion: string): string {
    return `${this.#id} ${apiVersion}`;
  }

  #ask(apiVersion: string, allowance = new DiscoveryAllowance(this.#kube)): Promise<Kinds> {
    const answer = { askedAt: performance.now(), value: this.#read(apiVersion, allowance) };
    return keep(this.#kinds, this.#keyOf(apiVersion), answer);
  }

  async #read(apiVersion: string, allowance: DiscoveryAllowance): Promise<Kinds> {
    const path = groupVersionPath(apiVersion);
    if (path === undefined) return [];
    try {
      const kinds = kindsIn(await this.#kube.read(path, { ...MOST, allowance }));
      allowance.takeKinds(kinds.length);
      return kinds;
    } catch (error: unknown) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  #server(longestMs = SERVER_REUSE_MS): Promise<Server> {
    const kept = this.#servers.get(this.#id);
    const served = new Set(kept?.settled?.groupVersions);
    const isBehind = kept?.settled !== undefined && [...this.#newKinds.apiVersions()].some((one) => !served.has(one));
    const reuseMs = isBehind ? LOOKUP_INTERVAL_MS : longestMs;
    if (kept !== undefined && performance.now() - kept.askedAt < reuseMs) return kept.value;
    return keep(this.#servers, this.#id, { askedAt: performance.now(), value: this.#readServer() });
  }

  async #readServer(): Promise<Server> {
    const paths = ['/version', '/api', '/apis'];
    const [about, core, named] = await Promise.all(paths.map((path) => this.#kube.read(path, MOST)));
    const groupVersions = groupVersionsIn(core, named);
    new DiscoveryAllowance(this.#kube).check('groupVersions', groupVersions.length);
    const version = isMap(about) ? about['gitVersion'] : undefined;
    return { version: isName(version) ? version : '', groupVersions };
  }

  async #inOtherVersions(
    apiVersion: string,
    kind: string,
    signal: AbortSignal | undefined,
  ): Promise<ResourceType | undefined> {
    const { group } = splitApiVersion(apiVersion);
    const { groupVersions } = await until(this.#server(0), signal);
    const others = groupVersions.filter((each) => each !== apiVersion && splitApiVersion(each).group === group);
    const allowance = new DiscoveryAllowance(this.#kube);
    for (const other of others.slice(0, MOST_VERSIONS)) {
      const found = findKind(await until(this.#ask(other, allowance), signal), other, kind);
      if (found !== undefined) return found;
    }
    if (others.length <= MOST_VERSIONS) return undefined;
    // A version that was not searched may still serve the kind.
    const attempt = `cannot find out which version has the kind ${kind}`;
    const { server, source } = this.#kube;
    throw answerTooLong({ attempt, server, source }, `more than ${MOST_VERSIONS} versions of group ${group}`);
  }

  async #kindsIn(
    groupVersion: string,
    allowance: DiscoveryAllowance,
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    try {
      const kept = this.#fresh(groupVersion);
      const kinds = await until(kept?.value ?? this.#ask(groupVersion, allowance), signal);
      if (kept !== undefined) allowance.takeKinds(kinds.length);
      return kinds.map(({ kind }) => `${groupVersion}/${kind}`);
    } catch (error: unknown) {
      if (error instanceof TransientError && error.status !== undefined) return [];
      throw error;
    }
  }
}
