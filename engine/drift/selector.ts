import type { Selector } from '#api/flux/common.js';
import { splitApiVersion, type Unstructured } from '#api/meta.js';
import { goPattern, type PatternBudget } from '#lib/text/go-pattern.js';
import { defined } from '#lib/plain.js';
import { parseSelector } from '#lib/kube/label-selector.js';

type Test = (object: Unstructured) => boolean;

/** No name of Kubernetes is longer. A manifest that was not applied yet may have any. */
const LONGEST_NAME = 253;
/** Kinds and namespaces come again and again, and each name once or twice. */
const MOST_KEPT = 1_000;

/** The same test, which looks at a text once; longer ones than names do not match. */
function remembering(matches: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    if (text.length > LONGEST_NAME) return false;
    const found = known.get(text) ?? matches(text);
    if (known.size < MOST_KEPT) known.set(text, found);
    return found;
  };
}

function tests(selector: Selector, budget: PatternBudget | undefined): Test[] {
  const read: Record<'group' | 'version' | 'kind' | 'name' | 'namespace', (object: Unstructured) => string> = {
    group: ({ apiVersion }) => splitApiVersion(apiVersion).group,
    version: ({ apiVersion }) => splitApiVersion(apiVersion).version,
    kind: ({ kind }) => kind,
    name: ({ metadata }) => metadata.name,
    namespace: ({ metadata }) => metadata.namespace ?? '',
  };
  const fields = Object.entries(read).flatMap(([field, valueOf]): Test[] => {
    const expression = selector[field as keyof typeof read] ?? '';
    if (expression === '') return [];
    const matches = remembering(goPattern(expression, { whole: true, ...defined({ budget }) }));
    return [(object) => matches(valueOf(object))];
  });
  const labels = parseSelector(selector.labelSelector ?? '');
  const annotations = parseSelector(selector.annotationSelector ?? '');
  return [
    ...fields,
    ({ metadata }) => labels(metadata.labels ?? {}),
    ({ metadata }) => annotations(metadata.annotations ?? {}),
  ];
}

/**
 * A test of objects: anchored regular expressions in Go's syntax, and selectors over labels and annotations. A selector
 * without fields matches all. `budget`: shared with the patterns of other selectors. Throws a RangeError that names the
 * problem.
 */
export function compileSelector(selector: Selector | undefined, budget?: PatternBudget): Test {
  const all = tests(selector ?? {}, budget);
  return (object) => all.every((matches) => matches(object));
}
