import { cut } from '../text/text.js';

/** The part of a Kubernetes LabelSelector that is a list. */
interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[] | undefined;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly Requirement[] | undefined;
}

type Labels = Readonly<Record<string, string>>;

function requirementTest({ key, operator, values = [] }: Requirement): (labels: Labels) => boolean {
  const listed = new Set(values);
  return (labels) => {
    // Not what each object of JavaScript has.
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'In':
        return value !== undefined && listed.has(value);
      case 'NotIn':
        return value === undefined || !listed.has(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
    }
  };
}

function testOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): (labels: Labels) => boolean {
  const wanted = Object.entries(matchLabels);
  const tests = matchExpressions.map(requirementTest);
  return (labels) => wanted.every(([key, value]) => labels[key] === value) && tests.every((test) => test(labels));
}

const testsOf = new WeakMap<LabelSelector, (labels: Labels) => boolean>();

/** True when the labels match; an empty selector matches all. A selector must not change once it was asked. */
export function selects(selector: LabelSelector, labels: Labels): boolean {
  const test = testsOf.get(selector) ?? testOf(selector);
  testsOf.set(selector, test);
  return test(labels);
}

const VALUE_OPERATORS: readonly string[] = ['In', 'NotIn'];

const MAX_PREFIX = 253;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const NAME_RULE = 'up to 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
/** Of a text in a message. */
const SHOWN = 100;

function quoted(text: string): string {
  return JSON.stringify(cut(text, SHOWN, '...'));
}

/** True for the key of a label, as the API server checks it: a name, after an optional DNS name and a slash. */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  const prefix = key.slice(0, Math.max(slash, 0));
  const isPrefixed = slash < 0 || (prefix.length <= MAX_PREFIX && PREFIX.test(prefix));
  return isPrefixed && NAME.test(key.slice(slash + 1));
}

/** True for the value of a label, as the API server checks it. */
export function isLabelValue(value: string): boolean {
  return value === '' || NAME.test(value);
}

function keyProblem(key: string): string | undefined {
  if (isLabelKey(key)) return undefined;
  return `${quoted(key)} is not a valid label key: ${NAME_RULE}, after an optional DNS name and "/"`;
}

function valueProblem(value: string): string | undefined {
  if (isLabelValue(value)) return undefined;
  return `${quoted(value)} is not a valid label value: ${NAME_RULE}`;
}

function labelProblem([key, value]: readonly [string, string]): string | undefined {
  const problem = keyProblem(key);
  if (problem !== undefined) return `matchLabels: ${problem}`;
  const wrong = valueProblem(value);
  return wrong === undefined ? undefined : `matchLabels[${quoted(key)}]: ${wrong}`;
}

/** With its path in the requirement. */
function requirementProblem({ key, operator, values = [] }: Requirement): string | undefined {
  const problem = keyProblem(key);
  if (problem !== undefined) return `.key: ${problem}`;
  if (VALUE_OPERATORS.includes(operator) !== values.length > 0) {
    return `.values: ${operator} ${values.length === 0 ? 'needs values' : 'takes no values'}`;
  }
  const wrong = values.map(valueProblem).findIndex((each) => each !== undefined);
  return wrong < 0 ? undefined : `.values[${wrong}]: ${valueProblem(values[wrong] ?? '') ?? ''}`;
}

/**
 * The first part of a selector that no label can have, or that contradicts itself, with its path in the selector. The
 * schema of a CRD accepts them. Never throws.
 */
export function selectorProblem({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string | undefined {
  for (const label of Object.entries(matchLabels)) {
    const problem = labelProblem(label);
    if (problem !== undefined) return problem;
  }
  for (const [index, requirement] of matchExpressions.entries()) {
    const problem = requirementProblem(requirement);
    if (problem !== undefined) return `matchExpressions[${index}]${problem}`;
  }
  return undefined;
}

/** True when the selector has no requirement, and so matches all. */
export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

const KEY = String.raw`[A-Za-z0-9._/-]+`;
const SET_BASED = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([^()]*)\)$`);
const EQUALITY = new RegExp(String.raw`^(${KEY})\s*(==|=|!=)\s*([A-Za-z0-9._-]*)$`);
const EXISTENCE = new RegExp(String.raw`^(!?)\s*(${KEY})$`);

/** The forms of one requirement; each says what its groups mean. */
const FORMS: readonly (readonly [RegExp, (groups: readonly string[]) => Requirement])[] = [
  [
    SET_BASED,
    ([key = '', operator = '', list = '']) => ({
      key,
      operator: operator === 'in' ? 'In' : 'NotIn',
      values: list.split(',').map((value) => value.trim()),
    }),
  ],
  [
    EQUALITY,
    ([key = '', operator = '', value = '']) => ({ key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] }),
  ],
  [EXISTENCE, ([not = '', key = '']) => ({ key, operator: not === '!' ? 'DoesNotExist' : 'Exists' })],
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
 * A selector from Kubernetes' text form: `a=b,c!=d,e in (x,y),f,!g`; an empty one has no requirement. Throws RangeError
 * naming the part that is wrong.
 */
export function readSelector(text: string): LabelSelector & { readonly matchExpressions: readonly Requirement[] } {
  return { matchExpressions: text.trim() === '' ? [] : partsOf(text).map(requirementOf) };
}

/** The same the other way round, as `readSelector` reads it. */
export function printSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const forms: Readonly<Record<Requirement['operator'], (key: string, list: string) => string>> = {
    In: (key, list) => `${key} in (${list})`,
    NotIn: (key, list) => `${key} notin (${list})`,
    Exists: (key) => key,
    DoesNotExist: (key) => `!${key}`,
  };
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => forms[operator](key, values.join(',')));
  return [...labels, ...others].join(',');
}

/**
 * A test of labels by a selector in Kubernetes' text form; an empty one matches all. Throws RangeError naming the part
 * that is wrong.
 */
export function parseSelector(text: string): (labels: Labels) => boolean {
  return testOf(readSelector(text));
}
