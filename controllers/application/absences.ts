import pLimit from 'p-limit';
import type { Kube } from '#runtime/client/kube.js';
import { CancelledError } from '#lib/errors.js';
import { existenceOf, type Existence } from '../cluster/existence.js';
import { clusterIdFrom } from '../cluster/model/cluster.js';
import { clusterIdOf } from './model/child/cluster.js';
import type { Child } from './model/child/types.js';

const PARALLEL_QUESTIONS = 8;
/** What is not known is asked again after so long. */
const ASK_AGAIN_MS = 60_000;

interface Answer {
  readonly why: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
}

function whyIn(existence: Existence): string | undefined {
  if (existence === 'gone') return undefined;
  return existence === 'exists' ? 'its object exists, but was not read yet' : existence.unknown;
}

/**
 * Why clusters may exist that the inventory lacks, by Application, as the API server said. Only in memory: before
 * anything is removed, it is asked again.
 */
export class Absences {
  readonly #answers = new Map<string, ReadonlyMap<string, Answer>>();

  /** Undefined: the cluster does not exist, or was not asked about. */
  whyUnknown(application: string, cluster: string): string | undefined {
    return this.#answers.get(application)?.get(cluster)?.why;
  }

  /** The children whose clusters must be asked about again. What is known of other clusters is forgotten. */
  due(application: string, children: readonly Child[], nowMs: number): Child[] {
    const answers = this.#answers.get(application);
    if (answers === undefined) return [];
    const answerOf = (child: Child): Answer | undefined => answers.get(clusterIdOf(child) ?? '');
    const known = children.flatMap((child) => {
      const answer = answerOf(child);
      return answer === undefined ? [] : [[clusterIdOf(child) ?? '', answer] as const];
    });
    this.#set(application, new Map(known));
    return children.filter((child) => nowMs - (answerOf(child)?.askedAt ?? nowMs) >= ASK_AGAIN_MS);
  }

  record(application: string, existences: ReadonlyMap<string, Existence>, nowMs: number): void {
    const answers = new Map(this.#answers.get(application));
    for (const [cluster, existence] of existences) {
      const why = whyIn(existence);
      if (why === undefined) answers.delete(cluster);
      else answers.set(cluster, { why, askedAt: nowMs });
    }
    this.#set(application, answers);
  }

  /** For an Application that is gone. */
  forget(application: string): void {
    this.#answers.delete(application);
  }

  #set(application: string, answers: ReadonlyMap<string, Answer>): void {
    if (answers.size === 0) this.#answers.delete(application);
    else this.#answers.set(application, answers);
  }
}

/** When the newest child of each cluster was created: the cluster existed then. */
function knownSince(children: readonly Child[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const child of children) {
    const id = clusterIdOf(child) ?? '';
    const { creationTimestamp = '' } = child.metadata;
    if (creationTimestamp >= (found.get(id) ?? '')) found.set(id, creationTimestamp);
  }
  return found;
}

interface Asking {
  readonly kube: Pick<Kube, 'get'>;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly absences: Absences;
}

async function ask(text: string, since: string, { kube, signal }: Asking): Promise<Existence> {
  const id = clusterIdFrom(text);
  if (id === undefined) return { unknown: `its identity is not understood: ${text}` };
  try {
    return await existenceOf(kube, id, { knownSince: since, signal });
  } catch (error: unknown) {
    if (error instanceof CancelledError || !(error instanceof Error)) throw error;
    return { unknown: `the API server could not be asked: ${error.message}` };
  }
}

/** Asks the API server whether the clusters of these children exist. */
export async function askAboutClusters(application: string, children: readonly Child[], asking: Asking): Promise<void> {
  const limit = pLimit(PARALLEL_QUESTIONS);
  const answers = await Promise.all(
    [...knownSince(children)].map(([id, since]) => limit(async () => [id, await ask(id, since, asking)] as const)),
  );
  asking.absences.record(application, new Map(answers), asking.now());
}
