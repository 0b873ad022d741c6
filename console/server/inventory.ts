import pLimit from 'p-limit';
import type { UserInfo } from '#api/core.js';
import { readClusters, type Reading } from '#controllers/host-read/clusters.js';
import { findGranted, type Granted } from '#controllers/host-read/granted-clusters.js';
import { clusterViews, type ClusterView } from '#controllers/host-read/model/cluster-view.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { Answers } from './answers.js';

/** The clusters that a user may read. */
export interface SeenClusters {
  readonly views: readonly ClusterView[];
  /** Whose clusters he may not list, or not in all namespaces. */
  readonly unread: readonly string[];
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

/** Pages poll, and clusters change seldom. */
const KEEP_MS = 5_000;
/** Answers that are kept: they have labels and messages of all clusters. */
const MOST_KEPT = 200;
const AT_ONCE = 4;
/** Namespaces that one question reads one by one. */
const MOST_NAMESPACES = 20;

async function partIn(kube: Kube, namespace: string): Promise<Part> {
  const readings = await readClusters(kube, { namespace });
  return { readings, granted: await findGranted(kube, namespace, readings) };
}

async function partsOf(kube: Kube, { namespace, instead }: Question): Promise<Part[]> {
  if (namespace !== undefined) return [await partIn(kube, namespace)];
  const readings = await readClusters(kube, {});
  const whole = { readings, granted: { clusters: [], unread: new Map<string, string>() } };
  if (readings.every(({ state }) => state !== 'forbidden')) return [whole];
  const limit = pLimit(AT_ONCE);
  const rest = instead.slice(0, MOST_NAMESPACES).map((each) => limit(() => partIn(kube, each)));
  return [whole, ...(await Promise.all(rest))];
}

async function readAs(kube: Kube, question: Question): Promise<SeenClusters> {
  const [first, ...rest] = await partsOf(kube.actingAs(question.user), question);
  const parts = first === undefined ? [] : [first, ...rest];
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
  };
}

/** What users may read of clusters, read as themselves; asked again after some seconds, once for all of their pages. */
export class Inventory {
  readonly #answers: Answers<Question, SeenClusters>;

  constructor(kube: Kube) {
    const limit = pLimit(AT_ONCE);
    const ask = (question: Question): Promise<SeenClusters> => limit(() => readAs(kube, question));
    this.#answers = new Answers({ ask, keepMs: KEEP_MS, most: MOST_KEPT });
  }

  of(question: Question): Promise<SeenClusters> {
    return this.#answers.to(question);
  }
}
