import pLimit from 'p-limit';
import { CancelledError } from '#lib/errors.js';
import type { Cluster } from '../../cluster/model/cluster.js';
import type { ReadReferences } from '../../cluster/references.js';
import {
  type ReferredName,
  referredNames,
  referredProblem,
  type TemplateContext,
  withReferred,
} from '../model/destinations/values-template.js';
import type { ValuesPass } from './evaluator.js';

/** Objects are read of so many clusters at once. */
const AT_ONCE = 8;
/** What is missing, or could not be read, is read again. */
const RETRY_MS = 60_000;
/** Nothing reports that these objects changed. */
const REREAD_MS = 600_000;

/** The facts that a text reads of a cluster, and when to read them again. Undefined: the cluster itself. */
export type TemplateFacts = ({ readonly facts: TemplateContext | undefined } | { readonly problem: string }) & {
  readonly retryAfterMs?: number;
};

async function read(
  cluster: Cluster,
  names: readonly ReferredName[],
  readReferences: ReadReferences,
  { tenant, signal }: ValuesPass,
): Promise<TemplateFacts> {
  const problem = referredProblem(names, cluster, tenant);
  if (problem !== undefined) return { problem };
  try {
    const found = withReferred(cluster, names, await readReferences(cluster, { signal }));
    if ('problem' in found) return { ...found, retryAfterMs: RETRY_MS };
    return { facts: found.context, retryAfterMs: REREAD_MS };
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    const { message } = error as Error; // the client throws errors
    return { problem: `.${names.join(' and .')} could not be read: ${message}`, retryAfterMs: RETRY_MS };
  }
}

/** What a text reads of these clusters, in their order. Throws CancelledError only. */
export async function templateFacts(
  text: string,
  clusters: readonly Cluster[],
  readReferences: ReadReferences,
  pass: ValuesPass,
): Promise<TemplateFacts[]> {
  const names = referredNames(text);
  if (names.length === 0) return clusters.map(() => ({ facts: undefined }));
  const limit = pLimit(AT_ONCE);
  return Promise.all(clusters.map((cluster) => limit(() => read(cluster, names, readReferences, pass))));
}
