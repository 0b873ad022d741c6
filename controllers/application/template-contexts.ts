import pLimit from 'p-limit';
import type { Cluster } from '../cluster/model/cluster.js';
import type { ReadReferences } from '../cluster/references.js';
import { CancelledError } from '../runtime/pure/errors.js';
import {
  type ReferredName,
  referredNames,
  referredProblem,
  templateContext,
  type TemplateContext,
  withReferred,
} from './model/destinations/values-template.js';

/** Objects are read of so many clusters at once. */
const AT_ONCE = 8;
/** What is missing, or could not be read, is read again. */
const RETRY_MS = 60_000;
/** Nothing reports that these objects changed. */
const REREAD_MS = 600_000;

/** What a text reads of a cluster, and when to read it again even without a change. */
export type Context = ({ readonly context: TemplateContext } | { readonly problem: string }) & {
  readonly retryAfterMs?: number;
};

interface Pass {
  /** The namespace of the Application. */
  readonly tenant: string;
  readonly signal: AbortSignal;
}

async function read(
  cluster: Cluster,
  names: readonly ReferredName[],
  readReferences: ReadReferences,
  { tenant, signal }: Pass,
): Promise<Context> {
  const problem = referredProblem(names, cluster, tenant);
  if (problem !== undefined) return { problem };
  try {
    const found = withReferred(cluster, names, await readReferences(cluster, { signal }));
    return { ...found, retryAfterMs: 'problem' in found ? RETRY_MS : REREAD_MS };
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    const { message } = error as Error; // the client throws errors
    return { problem: `.${names.join(' and .')} could not be read: ${message}`, retryAfterMs: RETRY_MS };
  }
}

/** What a text reads of these clusters, in their order. Throws CancelledError only. */
export async function contextsOf(
  text: string,
  clusters: readonly Cluster[],
  readReferences: ReadReferences,
  pass: Pass,
): Promise<Context[]> {
  const names = referredNames(text);
  if (names.length === 0) return clusters.map((cluster) => ({ context: templateContext(cluster) }));
  const limit = pLimit(AT_ONCE);
  return Promise.all(clusters.map((cluster) => limit(() => read(cluster, names, readReferences, pass))));
}
