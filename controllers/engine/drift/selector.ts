import type { Selector } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { goPattern } from '../../runtime/pure/go-pattern.js';
import { parseSelector } from '../../runtime/pure/label-selector.js';
import { splitApiVersion } from '../apply/model/inventory.js';

type Test = (object: Unstructured) => boolean;

function tests(selector: Selector): Test[] {
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
    const matches = goPattern(expression, { whole: true });
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
 * without fields matches all. Throws a RangeError that names the problem. */
export function compileSelector(selector: Selector | undefined): Test {
  const all = tests(selector ?? {});
  return (object) => all.every((matches) => matches(object));
}
