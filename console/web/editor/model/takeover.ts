import { readText, textOf, type Editable } from './application-text.js';
import { editsBetween, mergeThree } from './three-way.js';
import { editYaml, type Path } from '../../model/yaml-edit.js';

/** What becomes of a text when somebody else changed the Application meanwhile. */
export interface Takeover {
  /** What was typed, with their changes. */
  readonly text: string;
  /** What they changed. */
  readonly theirs: readonly Path[];
  /** What both changed, and differently: there, it stays as it was typed. */
  readonly both: readonly Path[];
}

/** What changed between two other texts is put into a text. Undefined if one of them is no YAML. */
export function mergedTexts(text: string, base: string, theirs: string): Takeover | undefined {
  const [mine, before, now] = [text, base, theirs].map(readText);
  if (mine === undefined || before === undefined || now === undefined) return undefined;
  if (!('value' in mine && 'value' in before && 'value' in now)) return undefined;
  const { value, both } = mergeThree({ base: before.value, mine: mine.value, theirs: now.value });
  const changed = editsBetween(before.value, now.value).map(({ path }) => path);
  return { text: editYaml(text, editsBetween(mine.value, value)), theirs: changed, both };
}

/** Undefined if the text is no YAML. */
export function takeoverOf(text: string, base: Editable, theirs: Editable): Takeover | undefined {
  return mergedTexts(text, textOf(base), textOf(theirs));
}
