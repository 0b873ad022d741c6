import { type FieldProblem, isOfField } from '../../editor/model/refusal.js';
import { areEqual } from '../../editor/model/three-way.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { isMap, mergeMaps, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import type { FormField, SchemaForm } from './schema-form.js';

/** What was typed into fields that were touched, by `keyOf`. */
export type Entered = Readonly<Record<string, string>>;

/** Of all fields, and of YAML for what no field shows. */
export const OTHERS = '';

type ReadValue = { readonly value: unknown } | { readonly problem: string };

/** As problems of a schema name it. */
export function keyOf({ path }: Pick<FormField, 'path'>): string {
  return path.join('.');
}

/** What a field shows when nobody typed anything. */
export function shownText({ input, fallback }: FormField): string {
  if (fallback === undefined) return '';
  if (input === 'choice') return printJson(fallback);
  if (input === 'list') return Array.isArray(fallback) ? fallback.join('\n') : '';
  if (input === 'yaml') return printYaml(fallback).trimEnd();
  return typeof fallback === 'string' ? fallback : printJson(fallback);
}

/** As JSON has them: what else JavaScript takes for one, such as 0x10, is a text to everybody else. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** With each digit that was typed. */
function numberOf(text: string, isInteger: boolean): ReadValue {
  if (!NUMBER.test(text) || !Number.isFinite(Number(text)))
    return { problem: 'it must be a number, such as 10 or 0.5' };
  const value = parseJson(text);
  if (!isInteger || /^-?[0-9]+$/.test(text) || Number.isSafeInteger(value)) return { value };
  return { problem: 'it must be a whole number' };
}

function listOf({ items }: FormField, text: string): ReadValue {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (items === 'text') return { value: lines };
  const read = lines.map((line) => numberOf(line, items === 'integer'));
  const wrong = read.find((each) => 'problem' in each);
  return wrong ?? { value: read.map((each) => ('value' in each ? each.value : undefined)) };
}

function yamlOf(text: string): ReadValue {
  try {
    return { value: parseYaml(text) };
  } catch (error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** What was emptied is taken away, which null says, if there is a default. */
function emptied({ input, fallback }: FormField): ReadValue {
  if (fallback === undefined) return { value: undefined };
  if (input === 'text') return { value: '' };
  return { value: input === 'list' ? [] : null };
}

/** By what it is: the choices may be others by now. */
function chosen({ choices }: FormField, text: string): ReadValue {
  const found = choices.find((choice) => printJson(choice) === text);
  return found === undefined ? { problem: `${text} is no longer a choice: choose another` } : { value: found };
}

function readField(field: FormField, text: string): ReadValue {
  if (text.trim() === '') return emptied(field);
  switch (field.input) {
    case 'text':
      return { value: text };
    case 'number':
    case 'integer':
      return numberOf(text.trim(), field.input === 'integer');
    case 'boolean':
      return { value: text === 'true' };
    case 'choice':
      return chosen(field, text);
    case 'list':
      return listOf(field, text);
    case 'yaml':
      return yamlOf(text);
  }
}

function nested(path: readonly string[], value: unknown): PlainMap {
  const last = path.length - 1;
  return path.reduceRight<unknown>(
    (below, key, at) => Object.fromEntries([[key, at === last ? value : below]]),
    {},
  ) as PlainMap;
}

function othersIn(entered: Entered): ReadValue {
  const read = yamlOf(entered[OTHERS] ?? '');
  if ('problem' in read || read.value === null || isMap(read.value)) return read;
  return { problem: 'values are a map: KEY: VALUE' };
}

/** What a field stands for, or what is wrong with what was typed into it. */
function readEntered(field: FormField, entered: Entered): ReadValue {
  const key = keyOf(field);
  const text = Object.hasOwn(entered, key) ? entered[key] : undefined;
  const read = text === undefined ? { value: field.fallback } : readField(field, text);
  return 'value' in read && read.value === undefined && field.isRequired ? { problem: 'it is required' } : read;
}

/** The values that differ from the defaults, and what is wrong with what was typed. Never throws. */
export function enteredValues(
  { groups }: SchemaForm,
  entered: Entered,
): { readonly values: PlainMap; readonly problems: readonly FieldProblem[] } {
  const others = othersIn(entered);
  const problems: FieldProblem[] = 'problem' in others ? [{ field: OTHERS, message: others.problem }] : [];
  let values: PlainMap = 'value' in others && isMap(others.value) ? others.value : {};
  for (const field of groups.flatMap(({ fields }) => fields)) {
    const read = readEntered(field, entered);
    if ('problem' in read) problems.push({ field: keyOf(field), message: read.problem });
    else if (!areEqual(read.value, field.fallback)) values = mergeMaps(values, nested(field.path, read.value));
  }
  return { values, problems };
}

/** Problems by the field that they stand next to; those of no field are those of OTHERS. */
export function problemsByField(form: SchemaForm, problems: readonly FieldProblem[]): ReadonlyMap<string, string> {
  const keys = form.groups.flatMap(({ fields }) => fields.map(keyOf)).sort((one, other) => other.length - one.length);
  const found = new Map<string, string>();
  for (const { field, message } of problems) {
    const key = keys.find((each) => isOfField(field, each)) ?? OTHERS;
    const text = key === OTHERS && field !== OTHERS ? `${field}: ${message}` : message;
    found.set(key, found.has(key) ? `${found.get(key) ?? ''}; ${text}` : text);
  }
  return found;
}

/** Where a template is to be used, as it was typed. */
export interface UsePlace {
  readonly namespace: string;
  readonly name: string;
  /** Empty: that of the Application. */
  readonly targetNamespace: string;
  /** True: it stays at the revision of now. */
  readonly isPinned: boolean;
}

/** The entries of the form of a template, and the Application that was made of them. */
export interface UseEntries {
  readonly place: UsePlace;
  readonly entered: Entered;
  /** The last one. */
  readonly made: string | undefined;
  /** False: the form is shown again. */
  readonly isMadeShown: boolean;
}

export const NOTHING_TYPED: UseEntries = {
  place: { namespace: '', name: '', targetNamespace: '', isPinned: false },
  ...{ entered: {}, made: undefined, isMadeShown: false },
};

/** True: somebody would miss it. */
export function isTyped({ place, entered }: UseEntries): boolean {
  return Object.keys(entered).length > 0 || Object.values(place).some((each) => each !== '' && each !== false);
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^(?=.{1,253}$)[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;
const FORM = 'lower-case letters, digits and -';

function wrong(field: string, text: string, rule: string): FieldProblem {
  return { field, message: text === '' ? 'it is required' : `it must be ${rule}: ${FORM}` };
}

/** Finds what is wrong with the place where it is to be used, by field. */
export function placeProblems({ namespace, name, targetNamespace }: UsePlace): FieldProblem[] {
  return [
    ...(LABEL.test(namespace) ? [] : [wrong('namespace', namespace, 'the name of a namespace')]),
    ...(NAME.test(name) ? [] : [wrong('name', name, 'a name')]),
    ...(targetNamespace === '' || LABEL.test(targetNamespace)
      ? []
      : [wrong('targetNamespace', targetNamespace, 'the name of a namespace')]),
  ];
}

/** The body of the request to use a template. */
export function useBody(
  { namespace, name, targetNamespace, isPinned }: UsePlace,
  { revision, values }: { readonly revision: number; readonly values: PlainMap },
): object {
  return {
    ...{ namespace, name },
    ...(targetNamespace === '' ? {} : { targetNamespace }),
    ...(isPinned && revision > 0 ? { revision } : {}),
    ...(Object.keys(values).length === 0 ? {} : { values }),
  };
}
