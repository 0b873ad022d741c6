type Map = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Merges two layers: maps merge, everything else is replaced, and undefined says nothing. */
export function merge(below: object, above: object): object {
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const before = result[key];
    if (value !== undefined) result[key] = isMap(before) && isMap(value) ? merge(before, value) : value;
  }
  return result;
}

/** The value with the keys of all maps in order, and without keys that are undefined. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, ordered(item)]));
}

/** A text that is the same for two values if and only if they say the same. */
export function textOf(value: unknown): string {
  return JSON.stringify([ordered(value)]);
}

/** A value without its expressions, or why there is none. */
export type Evaluated = { readonly values: object } | { readonly problem: 'missing' | 'unknown' };

class Missing extends Error {}
class Unknown extends Error {}

export interface ClusterFacts {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

const LABEL = /^cluster\.labels(?:\.([A-Za-z_]\w*)|\["([^"]+)"\])$/;

/** The model reads names and labels. It knows nothing about any other expression. */
function evaluate(expression: string, cluster: ClusterFacts): string {
  const text = expression.trim();
  if (text === 'cluster.name') return cluster.name;
  if (text === 'cluster.namespace') return cluster.namespace;
  const [, dotted, quoted] = LABEL.exec(text) ?? [];
  const key = dotted ?? quoted;
  if (key === undefined) throw new Unknown();
  const label = cluster.labels[key];
  if (label === undefined) throw new Missing();
  return label;
}

function replaced(value: unknown, cluster: ClusterFacts): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/(?<!\$)\$\{\{(.*?)\}\}/g, (_all, expression: string) => evaluate(expression, cluster));
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, cluster));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, cluster)]));
}

/** Evaluates the expressions in values for one cluster. A label that is missing is an error of that cluster. */
export function valuesFor(values: object, cluster: ClusterFacts): Evaluated {
  try {
    return { values: replaced(values, cluster) as object };
  } catch (error) {
    if (error instanceof Missing) return { problem: 'missing' };
    if (error instanceof Unknown) return { problem: 'unknown' };
    throw error;
  }
}

/** Evaluates `ready` of an entry for a cluster. Returns undefined if the model doesn't understand the expression. */
export function gateFor(expression: string, cluster: ClusterFacts): boolean | undefined {
  // A text is not true.
  if (LABEL.test(expression.trim())) return false;
  const [, inLabels] = /^'([^']+)' in cluster\.labels$/.exec(expression.trim()) ?? [];
  if (inLabels !== undefined) return cluster.labels[inLabels] !== undefined;
  const [, key = '', value] = /^cluster\.labels\.(\w+) == '([^']*)'$/.exec(expression.trim()) ?? [];
  return value === undefined ? undefined : cluster.labels[key] === value;
}
