import { RE2JS } from 're2js';
import type { Unstructured } from '../../../api/meta.js';
import { splitApiVersion } from '../apply/inventory.js';

/** Which objects are meant: anchored regular expressions in Go's syntax, and selectors over labels and annotations. */
export interface ObjectSelector {
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly annotationSelector?: string | undefined;
}

type Test = (object: Unstructured) => boolean;
type Requirement = (map: Readonly<Record<string, string>>) => boolean;

const KEY = String.raw`[A-Za-z0-9._/-]+`;
const SET_BASED = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([^()]*)\)$`);
const EQUALITY = new RegExp(String.raw`^(${KEY})\s*(==|=|!=)\s*([A-Za-z0-9._-]*)$`);
const EXISTENCE = new RegExp(String.raw`^(!?)\s*(${KEY})$`);

function setRequirement(key: string, operator: string, list: string): Requirement {
  const values = new Set(list.split(',').map((value) => value.trim()));
  const isIn: Requirement = (map) => map[key] !== undefined && values.has(map[key]);
  return operator === 'in' ? isIn : (map) => !isIn(map);
}

function equalityRequirement(key: string, operator: string, value: string): Requirement {
  return operator === '!=' ? (map) => map[key] !== value : (map) => map[key] === value;
}

/** The forms of one requirement; each says what its groups mean. */
const FORMS: readonly (readonly [RegExp, (groups: readonly string[]) => Requirement])[] = [
  [SET_BASED, ([key = '', operator = '', list = '']) => setRequirement(key, operator, list)],
  [EQUALITY, ([key = '', operator = '', value = '']) => equalityRequirement(key, operator, value)],
  [
    EXISTENCE,
    ([not = '', key = '']) =>
      (map) =>
        (map[key] === undefined) === (not === '!'),
  ],
];

function requirementOf(text: string): Requirement {
  for (const [form, requirement] of FORMS) {
    const match = form.exec(text);
    if (match !== null) return requirement(match.slice(1));
  }
  throw new RangeError(`${JSON.stringify(text)} is not a requirement of a selector`);
}

/** Split at the commas outside of parentheses. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === ',' && depth <= 0) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/**
 * A test of labels by a selector in Kubernetes' text form (`a=b,c!=d,e in (x,y),f,!g`); an empty one matches all.
 * Throws RangeError naming the part that is wrong.
 */
export function parseSelector(text: string): Requirement {
  const requirements = text.trim() === '' ? [] : partsOf(text).map(requirementOf);
  return (map) => requirements.every((requirement) => requirement(map));
}

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

function tests(selector: ObjectSelector): Test[] {
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

/** A test of objects; a selector without fields matches all. Throws RangeError naming what is wrong in it. */
export function compileSelector(selector: ObjectSelector | undefined): Test {
  const all = tests(selector ?? {});
  return (object) => all.every((matches) => matches(object));
}
