import type { Selector } from '#api/flux/common.js';
import { splitApiVersion, type Unstructured } from '#api/meta.js';
import { goPattern, type PatternBudget } from '#lib/text/go-pattern.js';
import { defined } from '#lib/plain.js';
import { parseSelector } from '#lib/kube/label-selector.js';

type Test = (object: Unstructured) => boolean;

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
    const matches = goPattern(expression, { whole: true, ...defined({ budget }) });
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
