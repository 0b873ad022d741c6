import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SchemaTree } from '../model/schema-spot.js';
import { choicesFor, type FieldHelp, helpFor, type YamlChoice } from '../model/yaml-choices.js';
import { indentBelow } from '../model/yaml-line.js';
import { placeOf } from '../model/yaml-place.js';

/** Replaces what is selected as if it was typed, so that the browser can undo it. */
function typeText(area: HTMLTextAreaElement, text: string): void {
  area.focus();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else leaves undo as it is, and browsers keep it
  if (document.execCommand('insertText', false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** What may stand at the cursor. */
export interface OpenList {
  readonly choices: readonly YamlChoice[];
  /** -1: none is chosen, and Enter breaks the line. */
  readonly active: number;
  /** Of the cursor, from 0. */
  readonly line: number;
  readonly column: number;
}

/** Why the cursor is looked at. */
type Cause = 'asked' | 'typed' | 'moved';

export interface Assist {
  readonly help: FieldHelp | undefined;
  readonly list: OpenList | undefined;
  /** True: somebody asked, and there is nothing to choose from. */
  readonly isAtLoss: boolean;
  readonly look: (cause: Cause) => void;
  readonly close: () => void;
  readonly take: (choice: YamlChoice) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onKeyUp: (event: KeyboardEvent) => void;
}

type Seen = Pick<Assist, 'help' | 'list' | 'isAtLoss'>;

const NOTHING: Seen = { help: undefined, list: undefined, isAtLoss: false };
/** Less than people notice, more than between two keys of who types fast. */
const PAUSE_MS = 60;

function seenBy(area: HTMLTextAreaElement, tree: SchemaTree, cause: Cause): Seen {
  const { value: text, selectionStart: cursor } = area;
  const place = placeOf(text, cursor);
  const help = helpFor(place, tree);
  if (cause === 'moved' || cursor !== area.selectionEnd) return { ...NOTHING, help };
  const choices = choicesFor(text, place, tree, cursor);
  const typed = text.slice(place.from, cursor);
  const isWanted = cause === 'asked' || (typed !== '' && !choices.some(({ label }) => label === typed));
  if (choices.length === 0 || !isWanted) return { help, list: undefined, isAtLoss: cause === 'asked' };
  const start = text.lastIndexOf('\n', place.from - 1) + 1;
  const line = text.slice(0, start).split('\n').length - 1;
  const list = { choices, active: cause === 'asked' ? 0 : -1, line, column: place.from - start };
  return { help, list, isAtLoss: false };
}

/** Enter goes on where the line above began. */
function breakLine(area: HTMLTextAreaElement): boolean {
  const { value: text, selectionStart: cursor } = area;
  const indent = indentBelow(text.slice(text.lastIndexOf('\n', cursor - 1) + 1, cursor));
  if (indent !== '') typeText(area, `\n${indent}`);
  return indent !== '';
}

/** The key that a list takes for itself; true if it did. */
function steer(
  { list, take, close }: Pick<Assist, 'list' | 'take' | 'close'>,
  key: string,
  move: (to: number) => void,
) {
  if (list === undefined) return false;
  const { choices, active } = list;
  const chosen = choices[key === 'Tab' ? Math.max(0, active) : active];
  if (key === 'Escape') close();
  else if (key === 'ArrowDown') move((active + 1) % choices.length);
  else if (key === 'ArrowUp') move((Math.max(0, active) + choices.length - 1) % choices.length);
  else if ((key === 'Enter' || key === 'Tab') && chosen !== undefined) take(chosen);
  else return false;
  return true;
}

function isAsking({ key, ctrlKey }: KeyboardEvent): boolean {
  return key === ' ' && ctrlKey;
}

function isAlone({ shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ![shiftKey, ctrlKey, altKey, metaKey].includes(true);
}

/** Help for the place of the cursor, and a list of what may stand there. */
export function useAssist(area: RefObject<HTMLTextAreaElement | null>, tree: SchemaTree | undefined): Assist {
  const [seen, see] = useState(NOTHING);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = (cause: Cause): void => {
    clearTimeout(timer.current);
    const lookNow = (): void => {
      if (area.current !== null && tree !== undefined) see(seenBy(area.current, tree, cause));
    };
    if (cause === 'asked') lookNow();
    else timer.current = setTimeout(lookNow, PAUSE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = (): void => {
    clearTimeout(timer.current);
    see({ ...seen, list: undefined, isAtLoss: false });
  };
  const take = ({ insert }: YamlChoice): void => {
    const { current } = area;
    if (current === null) return;
    // What was typed since the list was made belongs to the word.
    const { from, to } = placeOf(current.value, current.selectionStart);
    current.setSelectionRange(from, to);
    // What was offered for this word is none for the next one, however fast that is typed.
    close();
    typeText(current, insert);
    look('moved');
  };
  const move = (active: number): void => {
    // A list that is made anew would forget what is chosen.
    clearTimeout(timer.current);
    if (seen.list !== undefined) see({ ...seen, list: { ...seen.list, active } });
  };
  const isTaken = (key: string): boolean =>
    steer({ list: seen.list, take, close }, key, move) ||
    (key === 'Enter' && area.current !== null && breakLine(area.current));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isDone = isAsking(event) ? tree !== undefined : isAlone(event) && isTaken(event.key);
    if (!isDone) return;
    event.preventDefault();
    if (isAsking(event)) look('asked');
  };
  const onKeyUp = ({ key }: KeyboardEvent): void => {
    const isOfList = seen.list !== undefined && /^Arrow(?:Up|Down)$/.test(key);
    if (!isOfList && /^(?:Arrow|Home|End|Page)/.test(key)) look('moved');
  };
  return { ...seen, look, close, take, onKeyDown, onKeyUp };
}
