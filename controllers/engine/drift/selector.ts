import type { Selector } from '#api/flux/common.js';
import { RE2JS } from 're2js';
import type { Unstructured } from '#api/meta.js';
import { parseSelector } from '../../runtime/pure/label-selector.js';
import { splitApiVersion } from '../apply/model/inventory.js';

type Test = (object: Unstructured) => boolean;
/** What is longer is no list of names of good faith, and takes seconds to compile. */
const MAX_PATTERN = 4_096;

/** Linear in the text, whatever the expression: a user's pattern must not stop the process. */
function pattern(expression: string): (text: string) => boolean {
  if (expression.length > MAX_PATTERN) throw new RangeError(`a pattern has more than ${MAX_PATTERN} characters`);
  try {
    const compiled = RE2JS.compile(`^(?:${expression})$`);
    return (text) => compiled.matches(text);
  } catch (error: unknown) {
    throw new RangeError(`${JSON.stringify(expression)} is not a regular expression`, { cause: error });
  }
}

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
    const matches = pattern(expression);
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
 * without fields matches all. Throws RangeError naming what is wrong in it. */
export function compileSelector(selector: Selector | undefined): Test {
  const all = tests(selector ?? {});
  return (object) => all.every((matches) => matches(object));
}
