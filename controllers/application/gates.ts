import type { Deps } from './deps.js';
import { celCluster, gateOf, readyText } from './model/destinations/personal-values.js';
import type { Entry } from './model/child/types.js';
import type { Valid } from './model/destinations/validate.js';

/** The entries with what their `ready` says of their clusters. */
export async function withGates(valid: Valid, { evaluateValues }: Deps, tenant: string): Promise<Valid> {
  const open = valid.entries.flatMap((entry) => {
    const { cluster, ready } = entry;
    if (cluster === undefined || ready === undefined || valid.violationOf(entry) !== undefined) return [];
    return [{ entry, texts: [readyText(ready)], cluster: celCluster(cluster) }];
  });
  if (open.length === 0) return valid;
  const results = await evaluateValues(open, tenant);
  const gates = new Map<Entry, Entry['gate']>(
    open.map(({ entry }, index) => [entry, gateOf(entry, results[index] ?? { problem: 'there is no result' })]),
  );
  return { ...valid, entries: valid.entries.map((entry) => ({ ...entry, gate: gates.get(entry) })) };
}
