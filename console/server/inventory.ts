import type { FastifyInstance } from 'fastify';
import type { UserInfo } from '#api/core.js';
import { readClusters, type Reading } from '#queries/host/clusters.js';
import { GrantedClusters, NOTHING, type Granted } from '#queries/host/granted-clusters.js';
import { clusterViews } from '#queries/host/model/cluster-view.js';
import type { ClusterGaps, ClusterView } from '#queries/answers/clusters.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Answers } from './answers.js';
import { keptReads } from './kept-reads.js';

/** The clusters that a user may read. */
export interface SeenClusters extends ClusterGaps {
  readonly views: readonly ClusterView[];
}

interface Question {
  readonly user: UserInfo;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Of all namespaces, those that are read one by one where all may not be read. */
  readonly instead: readonly string[];
}

interface Part {
  readonly readings: readonly Reading[];
  readonly granted: Granted;
}

/** Characters that are kept: answers have labels and messages of all clusters. */
const MOST_KEPT = 32 * 1024 * 1024;
/** Namespaces that one question reads one by one. */
const MOST_NAMESPACES = 20;
/** Others, whose clusters these may use; each is five lists. */
const MOST_PLACES = { perNamespace: 10, total: 40 };
const NAMED = 20;

/** What is read for one question. */
class Parts {
  readonly #kube: Kube;
  readonly #signal: AbortSignal;
  readonly #granted: GrantedClusters;

  constructor(kube: Kube, signal: AbortSignal) {
    this.#kube = kube;
    this.#signal = signal;
    this.#granted = new GrantedClusters(kube, { most: MOST_PLACES, signal });
  }

  async of({ namespace, instead }: Question): Promise<{ parts: Part[]; leftOut: readonly string[] }> {
    if (namespace !== undefined) return { parts: [await this.#in(namespace)], leftOut: this.#granted.leftOut };
    const readings = await readClusters(this.#kube, { signal: this.#signal });
    const parts: Part[] = [{ readings, granted: NOTHING }];
    if (readings.every(({ state }) => state !== 'forbidden')) return { parts, leftOut: [] };
    // One after the other: each is many lists.
    for (const each of instead.slice(0, MOST_NAMESPACES)) parts.push(await this.#in(each));
    return { parts, leftOut: [...new Set([...instead.slice(MOST_NAMESPACES), ...this.#granted.leftOut])] };
  }

  async #in(namespace: string): Promise<Part> {
    const readings = await readClusters(this.#kube, { namespace, signal: this.#signal });
    return { readings, granted: await this.#granted.in(namespace, readings) };
  }
}

async function readAs(own: Kube, question: Question, signal: AbortSignal): Promise<SeenClusters> {
  const { parts, leftOut } = await new Parts(own, signal).of(question);
  const [first] = parts;
  const forbidden = (first?.readings ?? []).filter(({ state }) => state === 'forbidden');
  return {
    views: clusterViews({
      clusters: parts.flatMap(({ readings, granted }) => [
        ...readings.flatMap(({ clusters }) => clusters),
        ...granted.clusters,
      ]),
      ...{ children: [], unread: [], namespace: question.namespace },
      granted: new Map(parts.flatMap(({ granted }) => [...granted.unread])),
    }),
    unread: forbidden.map(({ adapter }) => adapter.name),
    leftOut: leftOut.slice(0, NAMED),
    moreLeftOut: Math.max(0, leftOut.length - NAMED),
  };
}

/** What users may read of clusters, read as themselves; asked again after some seconds, once for all of their pages. */
export class Inventory {
  readonly #answers: Answers<Question, SeenClusters>;

  constructor(app: Pick<FastifyInstance, 'addHook'>, kube: Kube) {
    this.#answers = keptReads(app, kube, { what: 'reads of clusters', most: MOST_KEPT, read: readAs });
  }

  of(question: Question): Promise<SeenClusters> {
    return this.#answers.to(question);
  }
}
