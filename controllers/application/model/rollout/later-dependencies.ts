import { isMap } from '#controllers/runtime/pure/plain.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import { describeChild } from '../messages.js';
import type { Child, DesiredChild, Entry } from '../types.js';
import { quoted } from './stages.js';
import type { StageSpec } from './types.js';

const NAMED_PAIRS = 3;

/** A destination in its stage. */
export interface Staged {
  readonly entry: Entry;
  readonly live: Child | undefined;
  readonly wanted: DesiredChild | undefined;
  /** Index of its stage; -1: it is in none. */
  readonly stage: number;
}

function childText(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** The children that an entry depends on, as text: an engine reads the names of its own kind. */
function dependenciesOf({ kind, metadata, spec }: Child): string[] {
  const { dependsOn } = spec;
  if (!Array.isArray(dependsOn)) return [];
  return dependsOn.flatMap((each: unknown) => {
    if (!isMap(each) || typeof each['name'] !== 'string') return [];
    const { name, namespace } = each;
    return [childText(kind, typeof namespace === 'string' ? namespace : metadata.namespace, name)];
  });
}

/**
 * Warns of destinations that depend on one of a later stage that is not installed yet: their stage is never settled, so
 * the later one never begins.
 */
export function laterDependencies(destinations: readonly Staged[], stages: readonly StageSpec[]): string[] {
  const absent = new Map(
    destinations.flatMap(({ live, wanted, stage }) => {
      if (live !== undefined || wanted === undefined) return [];
      const { kind, metadata } = wanted.object;
      return [[childText(kind, metadata.namespace, metadata.name), { object: wanted.object, stage }] as const];
    }),
  );
  if (absent.size === 0) return [];
  const found = destinations.flatMap(({ entry, wanted, stage }) =>
    (wanted === undefined || stage < 0 ? [] : dependenciesOf(wanted.object)).flatMap((text) => {
      const dependency = absent.get(text);
      if (dependency === undefined || dependency.stage <= stage) return [];
      const [own, later] = [stages[stage]?.name ?? '', stages[dependency.stage]?.name ?? ''].map(quoted);
      return [
        `${entry.path}.dependsOn: ${describeChild(dependency.object)} is in stage ${later}, which begins after stage ${own}`,
      ];
    }),
  );
  if (found.length === 0) return [];
  return [`${listed(found, NAMED_PAIRS)}: put what is depended on in the same stage or an earlier one`];
}
