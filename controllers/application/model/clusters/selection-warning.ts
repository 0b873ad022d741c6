import { listed } from '#controllers/runtime/pure/listed.js';
import type { Selection } from './expand.js';

const NAMED = 5;

function warningsOf({ path, matched, unknown }: Selection): string[] {
  const field = `${path}.destination.clusterSelector`;
  const names = unknown.map((name) => JSON.stringify(name));
  return [
    ...(matched.length > 0 ? [] : [`${field}: no cluster matches`]),
    ...(unknown.length === 0 ? [] : [`${field}.exclude: no matching cluster is called ${listed(names, NAMED)}`]),
  ];
}

/** What users should know about their selectors; `lost`: why clusters may be missing. */
export function selectionWarnings(selections: readonly Selection[], lost: readonly string[]): string[] {
  if (selections.length === 0) return [];
  return [...selections.flatMap(warningsOf), ...lost.map((why) => `clusters may be missing: ${why}`)];
}
