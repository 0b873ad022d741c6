import { printYaml } from '#lib/yaml/yaml.js';
import {
  choicesAt,
  isRequiredAt,
  keysAt,
  shapeAt,
  wordsAt,
  type SchemaTree,
  type Spot,
  type SpotWords,
} from './schema-spot.js';
import { pathText } from '../editor/model/three-way.js';
import type { YamlPlace } from './yaml-place.js';

/** A key or value that may stand at the cursor. */
export interface YamlChoice {
  readonly label: string;
  readonly isRequired: boolean;
  /** In words; of a value, empty. */
  readonly type: string;
  /** What is put there. */
  readonly insert: string;
}

/** What the schema says of the field at the cursor. */
export interface FieldHelp extends SpotWords {
  readonly path: string;
  readonly isRequired: boolean;
}

/** A longer list is one to type in, not to choose from. */
const MOST_CHOICES = 100;
const MOST_LABEL = 100;

/** What must not be read otherwise is quoted. */
function written(value: unknown): string {
  return printYaml(value).trimEnd();
}

/** What follows a new key: its value, or a place for it on the next line. */
function behindKey(below: Spot, column: number): string {
  const pad = ' '.repeat(column + 2);
  const shape = shapeAt(below);
  if (shape === 'object') return `:\n${pad}`;
  return shape === 'array' ? `:\n${pad}- ` : ': ';
}

interface Writing {
  readonly tree: SchemaTree;
  readonly place: YamlPlace;
  /** Of the first character. */
  readonly column: number;
}

function keyChoices(spot: Spot, { tree, place, column }: Writing, dash: string): YamlChoice[] {
  const keys = keysAt(spot).filter(({ key }) => !place.present.has(key));
  return keys.map(({ key, isRequired }) => {
    const below = tree.below(spot, key);
    const tail = place.hasColon ? '' : behindKey(below, column + dash.length);
    return { label: key, isRequired, type: wordsAt(below).type, insert: `${dash}${written(key)}${tail}` };
  });
}

function valueChoices(spot: Spot, before: string): YamlChoice[] {
  const blank = before.endsWith(':') ? ' ' : '';
  return choicesAt(spot).map((value) => {
    const label = written(value);
    return { label, isRequired: false, type: '', insert: `${blank}${label}` };
  });
}

function allChoices(text: string, writing: Writing): YamlChoice[] {
  const { tree, place } = writing;
  const spot = tree.at(place.path);
  if (place.expects === 'nothing') return [];
  if (place.expects === 'value') return valueChoices(spot, text.slice(0, place.from));
  // In a list, an item begins with a dash.
  if (shapeAt(spot) === 'array') return keyChoices(tree.below(spot, 0), writing, '- ');
  const keys = keyChoices(spot, writing, '');
  return keys.length > 0 || place.hasColon ? keys : valueChoices(spot, '');
}

/** What may stand at a place and has the letters that were typed, those that begin with them first. */
export function choicesFor(text: string, place: YamlPlace, tree: SchemaTree, cursor: number): YamlChoice[] {
  const column = place.from - (text.lastIndexOf('\n', place.from - 1) + 1);
  const typed = text.slice(place.from, Math.max(place.from, cursor)).toLowerCase();
  const all = allChoices(text, { tree, place, column }).filter(
    ({ label }) => label.length <= MOST_LABEL && !label.includes('\n'),
  );
  const found = all.filter(({ label }) => label.toLowerCase().includes(typed));
  const isFirst = ({ label }: YamlChoice): boolean => label.toLowerCase().startsWith(typed);
  return [...found.filter(isFirst), ...found.filter((each) => !isFirst(each))].slice(0, MOST_CHOICES);
}

/** Of the key of the line, or of what holds the cursor; undefined at the top, and where no schema is known. */
export function helpFor({ path, key, expects }: YamlPlace, tree: SchemaTree): FieldHelp | undefined {
  const isOfKey = key !== undefined && (expects === 'key' || path.at(-1) !== key);
  const whole = isOfKey ? [...path, key] : path;
  const own = whole.at(-1);
  const spot = tree.at(whole);
  if (own === undefined || spot.length === 0) return undefined;
  const isRequired = isRequiredAt(tree.at(whole.slice(0, -1)), own);
  return { path: pathText(whole), isRequired, ...wordsAt(spot) };
}
