import maxBy from 'lodash/maxBy.js';
import { createHash } from 'node:crypto';
import { secretResource } from '#api/core.js';
import { KUBECONFIG_NOT_FOUND } from '#api/flux/conditions.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { fencedKube, type Fence } from '#runtime/client/fence.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { TerminalError } from '#lib/errors.js';
import { createLru, type Lru } from '#lib/lru.js';
import { groupedBy } from '#lib/plain.js';
import { rememberedUid } from './cluster-uid.js';
import { NewKinds } from './new-kinds.js';
import { createKeptAnswers, Discovery, type KeptAnswers } from './discovery.js';
import { KubeconfigProblem, readKubeconfig } from './kubeconfig.js';
import { invalidKubeconfig, readSecretKey, type KubeconfigPlace, type KubeconfigSecret } from './kubeconfig-secret.js';
import type { KubeConfigRef, Member, MemberOptions, Members } from './member.js';

/** Prefix of the user name of a ServiceAccount, before its namespace and name. */
const SERVICE_ACCOUNT_USER = 'system:serviceaccount:';
/** Drops clients of deleted clusters. A release with a longer interval reconnects. */
const FORGOTTEN_AFTER_MS = 86_400_000;
/** Clients, of some 30 KB each: enough for the largest fleets. Tenants may write any number of kubeconfigs. */
const MOST_CLIENTS = 8_000;
/** Servers whose new kinds are known to all members there; tenants may write any number of URLs. */
const KNOWN_SERVERS = 1_000;
/** Most service accounts of one namespace on one member; tenants may write any number of names. */
const KNOWN_USERS = 100;

export interface MembersOptions {
  /** The cluster that holds the Secrets; also the member of objects that name none. */
  readonly host: Kube;
  /** Accept kubeconfigs with `insecure-skip-tls-verify`; default false. */
  readonly allowInsecure?: boolean;
  /** Called before every write to a member; the host's client has its own. */
  readonly fence?: Fence | undefined;
  /** Most clients that are kept; of more, the namespace with most loses the one not used for longest. Default 8,000. */
  readonly mostClients?: number;
}

interface Kept {
  readonly digest: string;
  readonly member: Member;
  /** Monotonic milliseconds. */
  readonly usedAt: number;
}

/** `newKinds`: those of the server, whichever credential it is asked with. */
function memberOf(key: string, kube: Kube, newKinds: NewKinds, kept: KeptAnswers): Member {
  const discovery = new Discovery(kube, newKinds, kept);
  return {
    key,
    kube,
    expectKind: (apiVersion, kind) => newKinds.add(apiVersion, kind, performance.now()),
    resourceType: (apiVersion, kind, options) => discovery.resourceType(apiVersion, kind, options),
    servedType: (apiVersion, kind, options) => discovery.servedType(apiVersion, kind, options),
    capabilities: (options) => discovery.capabilities(options),
    clusterUid: rememberedUid(kube),
  };
}

class SecretMembers implements Members {
  readonly #host: Member;
  readonly #allowInsecure: boolean;
  readonly #fence: Fence | undefined;
  readonly #mostClients: number;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept>();
  /** Impersonating members: by the member, then by the namespace of the service accounts. Dropped with the member. */
  readonly #acting = new WeakMap<Member, Map<string, Lru<Member>>>();
  readonly #keptAnswers = createKeptAnswers();
  /** By the server's URL. */
  readonly #newKinds = createLru<NewKinds>(KNOWN_SERVERS);

  constructor({ host, allowInsecure, fence, mostClients = MOST_CLIENTS }: MembersOptions) {
    this.#mostClients = mostClients;
    this.#host = this.#memberOf('host', host);
    this.#fence = fence;
    this.#allowInsecure = allowInsecure ?? false;
  }

  async get(ref: KubeConfigRef | 'host', namespace: string, options: MemberOptions = {}): Promise<Member> {
    const { serviceAccount, ...request } = options;
    const member = await this.#own(ref, namespace, request);
    return serviceAccount === undefined ? member : this.#as(member, namespace, serviceAccount);
  }

  async #own(ref: KubeConfigRef | 'host', namespace: string, options: RequestOptions): Promise<Member> {
    if (ref === 'host') return this.#host;
    const place = { namespace, name: ref.secretRef.name, key: ref.secretRef.key };
    const secret = await this.#host.kube.get<KubeconfigSecret>(secretResource, place, options);
    if (secret === undefined) {
      throw new TerminalError(
        KUBECONFIG_NOT_FOUND,
        `Secret ${namespace}/${place.name} with the kubeconfig of the cluster does not exist: create it, or correct kubeConfig.secretRef.name`,
      );
    }
    return this.#memberFor(place, secret);
  }

  #memberOf(key: string, kube: Kube): Member {
    const newKinds = this.#newKinds.get(kube.server) ?? new NewKinds();
    this.#newKinds.set(kube.server, newKinds);
    return memberOf(key, kube, newKinds, this.#keptAnswers);
  }

  /**
   * A member that reads and writes objects as a service account. Discovery is shared, as it does not depend on the
   * user.
   */
  #as(member: Member, namespace: string, serviceAccount: string): Member {
    const all = this.#acting.get(member) ?? new Map<string, Lru<Member>>();
    this.#acting.set(member, all);
    const known = all.get(namespace) ?? createLru<Member>(KNOWN_USERS);
    all.set(namespace, known);
    const user = `${SERVICE_ACCOUNT_USER}${namespace}:${serviceAccount}`;
    const key = `${member.key} as ${user}`;
    const acting = known.get(user) ?? { ...member, key, kube: member.kube.actingAs(user) };
    known.set(user, acting);
    return acting;
  }

  #memberFor(place: KubeconfigPlace, secret: KubeconfigSecret): Member {
    const { key, content } = readSecretKey(secret, place);
    const id = `${place.namespace}/${place.name}/${key}`;
    const digest = createHash('sha256').update(content).digest('hex');
    const kept = this.#kept.get(id);
    const usedAt = performance.now();
    const member = kept?.digest === digest ? kept.member : this.#memberOf(id, this.#connect(place, key, content));
    this.#kept.delete(id);
    this.#kept.set(id, { digest, member, usedAt });
    this.#forgetIdle(usedAt - FORGOTTEN_AFTER_MS);
    return member;
  }

  /** A client that is dropped is still used by passes that have it; its idle connections close by themselves. */
  #forgetIdle(since: number): void {
    for (const [id, { usedAt }] of this.#kept) {
      if (usedAt >= since) break;
      this.#kept.delete(id);
    }
    if (this.#kept.size > this.#mostClients) this.#forgetOneOfMost();
  }

  /** The namespace with most clients loses the one that it used least recently. */
  #forgetOneOfMost(): void {
    const ids = groupedBy([...this.#kept.keys()], (id) => id.slice(0, id.indexOf('/')));
    const [id] = maxBy([...ids.values()], 'length') ?? [];
    if (id !== undefined) this.#kept.delete(id);
  }

  #connect(place: KubeconfigPlace, key: string, content: string): Kube {
    try {
      const credential = readKubeconfig(content, { allowInsecure: this.#allowInsecure });
      const kube = kubeFromConfig({
        ...credential,
        source: `Secret ${place.namespace}/${place.name}, key ${JSON.stringify(key)}`,
        tenant: place.namespace,
      });
      return this.#fence === undefined ? kube : fencedKube(kube, this.#fence);
    } catch (error: unknown) {
      if (error instanceof KubeconfigProblem) throw invalidKubeconfig(place, [key], error.message);
      throw error;
    }
  }

  async close(): Promise<void> {
    const members = [...this.#kept.values()].map(({ member }) => member);
    this.#kept.clear();
    await Promise.all(members.map(({ kube }) => kube.close()));
  }
}

/**
 * Members from kubeconfig Secrets on the host. The Secret is read at every `get`, so a rotated credential takes effect
 * with the next pass, and a running pass continues with the old one. Call `close` after the last pass; it does not
 * close the host's client.
 */
export function createMembers(options: MembersOptions): Members {
  return new SecretMembers(options);
}
