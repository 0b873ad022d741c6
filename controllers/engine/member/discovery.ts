import pLimit from 'p-limit';
import type { ResourceType } from '#api/meta.js';
import type { Kube, RequestOptions } from '../../runtime/kube.js';
import { sleep } from '../../runtime/sleep.js';
import { CancelledError, isNotFound, TerminalError, TransientError } from '../../runtime/pure/errors.js';
import { groupVersionPath } from '../../runtime/pure/urls.js';
import { splitApiVersion } from '../apply/model/inventory.js';
import type { NewKinds } from './new-kinds.js';
import type { Capabilities, ServedOptions } from './member.js';

const PARALLEL = 8;
/** A kind that is not there is looked up again, but never more often than this: a wrong manifest must not flood. */
const LOOKUP_INTERVAL_MS = 1_000;
const SERVER_REUSE_MS = 30_000;
const KINDS_REUSE_MS = 600_000;
/** Thousands of kinds, described at length; more would take the parser seconds. */
const MOST = { maxBytes: 4 * 1024 * 1024 } as const;

interface ResourceList {
  readonly resources?: readonly { name: string; kind: string; namespaced: boolean }[];
}

interface GroupList {
  readonly groups?: readonly { versions?: readonly { groupVersion: string }[] }[];
}

/** The version and API versions of a server. */
interface Server {
  readonly version: string;
  readonly groupVersions: readonly string[];
}

/** One response of the server, shared by all callers that wait for it. */
interface Answer<T> {
  readonly askedAt: number;
  readonly value: Promise<T>;
  /** What `value` came to, once it has. */
  settled?: T;
}

function answerOf<T>(value: Promise<T>): Answer<T> {
  const answer: Answer<T> = { askedAt: performance.now(), value };
  // Who waits for the value learns of a failure.
  value.then((settled) => (answer.settled = settled)).catch(() => undefined);
  return answer;
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

/** What one API server serves: asked per group and version, kept, asked again when something is missing. */
export class Discovery {
  readonly #kube: Kube;
  readonly #newKinds: NewKinds;
  readonly #lists = new Map<string, Answer<ResourceList>>();
  #serverAnswer: Answer<Server> | undefined;

  /** `newKinds`: shared by all who ask this server. */
  constructor(kube: Kube, newKinds: NewKinds) {
    this.#kube = kube;
    this.#newKinds = newKinds;
  }

  /** Errors: TerminalError `NoKindMatch`, and what the client throws. */
  async resourceType(apiVersion: string, kind: string, { signal }: RequestOptions = {}): Promise<ResourceType> {
    const kept = this.#fresh(apiVersion);
    const known = kept && find(await until(kept.value, signal), apiVersion, kind);
    const found = known ?? find(await this.#lookUpAgain(apiVersion, kept, signal), apiVersion, kind);
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
    const served = find(await until(kept?.value ?? this.#ask(apiVersion), signal), apiVersion, kind);
    const found = served ?? (await this.#inOtherVersions(apiVersion, kind, signal));
    return found ?? this.resourceType(apiVersion, kind, { signal });
  }

  /** The version and every kind. A group that does not answer (a broken APIService) is listed without its kinds. */
  async capabilities({ signal }: RequestOptions = {}): Promise<Capabilities> {
    const { version, groupVersions } = await until(this.#server(), signal);
    const limit = pLimit(PARALLEL);
    const kinds = await Promise.all(groupVersions.map((name) => limit(() => this.#kindsIn(name, signal))));
    return {
      kubeVersion: version,
      apiVersions: [...new Set([...groupVersions, ...kinds.flat()])].sort(),
    };
  }

  #fresh(apiVersion: string): Answer<ResourceList> | undefined {
    const kept = this.#lists.get(apiVersion);
    if (kept === undefined) return undefined;
    const served = new Set((kept.settled?.resources ?? []).map(({ kind }) => kind));
    const isBehind =
      kept.settled !== undefined && [...this.#newKinds.kindsIn(apiVersion)].some((kind) => !served.has(kind));
    return performance.now() - kept.askedAt < (isBehind ? LOOKUP_INTERVAL_MS : KINDS_REUSE_MS) ? kept : undefined;
  }

  /** A list asked for after `seen`: that of somebody else's miss, or a new one when its time has come. */
  async #lookUpAgain(
    apiVersion: string,
    seen: Answer<ResourceList> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ResourceList> {
    if (seen !== undefined) await sleep(Math.max(0, seen.askedAt + LOOKUP_INTERVAL_MS - performance.now()), signal);
    const kept = this.#fresh(apiVersion);
    return until(kept !== undefined && kept !== seen ? kept.value : this.#ask(apiVersion), signal);
  }

  #ask(apiVersion: string): Promise<ResourceList> {
    const answer = answerOf(this.#read(apiVersion));
    this.#lists.set(apiVersion, answer);
    answer.value.catch(() => {
      if (this.#lists.get(apiVersion) === answer) this.#lists.delete(apiVersion);
    });
    return answer.value;
  }

  async #read(apiVersion: string): Promise<ResourceList> {
    const path = groupVersionPath(apiVersion);
    if (path === undefined) return {};
    try {
      return (await this.#kube.read(path, MOST)) as ResourceList;
    } catch (error: unknown) {
      if (isNotFound(error)) return {};
      throw error;
    }
  }

  #server(longestMs = SERVER_REUSE_MS): Promise<Server> {
    const kept = this.#serverAnswer;
    const served = new Set(kept?.settled?.groupVersions);
    const isBehind = kept?.settled !== undefined && [...this.#newKinds.apiVersions()].some((one) => !served.has(one));
    const reuseMs = isBehind ? LOOKUP_INTERVAL_MS : longestMs;
    if (kept !== undefined && performance.now() - kept.askedAt < reuseMs) return kept.value;
    const answer = answerOf(this.#readServer());
    this.#serverAnswer = answer;
    answer.value.catch(() => {
      if (this.#serverAnswer === answer) this.#serverAnswer = undefined;
    });
    return answer.value;
  }

  async #readServer(): Promise<Server> {
    const paths = ['/version', '/api', '/apis'];
    const [version, core, named] = (await Promise.all(paths.map((path) => this.#kube.read(path, MOST)))) as [
      { gitVersion?: string },
      { versions?: readonly string[] },
      GroupList,
    ];
    const others = (named.groups ?? []).flatMap(({ versions }) => versions ?? []);
    const groupVersions = [...(core.versions ?? []), ...others.map(({ groupVersion }) => groupVersion)];
    return { version: version.gitVersion ?? '', groupVersions };
  }

  async #inOtherVersions(
    apiVersion: string,
    kind: string,
    signal: AbortSignal | undefined,
  ): Promise<ResourceType | undefined> {
    const { group } = splitApiVersion(apiVersion);
    const { groupVersions } = await until(this.#server(0), signal);
    const others = groupVersions.filter((each) => each !== apiVersion && splitApiVersion(each).group === group);
    for (const other of others) {
      const found = find(await until(this.#ask(other), signal), other, kind);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #kindsIn(groupVersion: string, signal: AbortSignal | undefined): Promise<string[]> {
    try {
      const list = await until(this.#fresh(groupVersion)?.value ?? this.#ask(groupVersion), signal);
      return (list.resources ?? []).map(({ kind }) => `${groupVersion}/${kind}`);
    } catch (error: unknown) {
      if (error instanceof TransientError && error.status !== undefined) return [];
      throw error;
    }
  }
}

function find(list: ResourceList, apiVersion: string, kind: string): ResourceType | undefined {
  const found = (list.resources ?? []).find((resource) => resource.kind === kind && !resource.name.includes('/'));
  if (found === undefined) return undefined;
  return { ...splitApiVersion(apiVersion), kind, plural: found.name, namespaced: found.namespaced };
}
