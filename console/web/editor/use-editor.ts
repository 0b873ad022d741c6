import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PlainMap } from '#lib/plain.js';
import type { ApplicationDetail } from '#queries/answers/application.js';
import { readText, type ReadText } from './model/application-text.js';
import type { Way } from './model/application-form.js';
import { begun, discarded, edited, tookOver, undone, written, type EditedText } from '../model/edited-text.js';
import { chooseWay, type KeptWays } from './model/ways.js';
import { pauseMs } from '../model/editor-commands.js';
import { editYaml, textsIn } from '../model/yaml-edit.js';
import { useSession } from '../session/session.js';
import type { Edits } from './form-props.js';
import { TEXTS } from './drafts.js';

/** One text, which the form and the YAML show. */
export interface Editor {
  readonly text: string;
  /** Of a long text, what it was a moment ago. */
  readonly read: ReadText;
  /** What could be read last: the form waits for a text that can be, and is what it was until then. */
  readonly shown: { readonly text: string; readonly value: PlainMap };
  readonly isDirty: boolean;
  /** True: it is what somebody typed before he left. */
  readonly isFound: boolean;
  /** Of the text as it is now. */
  readonly readNow: () => ReadText;
  readonly write: (text: string) => void;
  /** Changes these values of the text as it is then, and nothing else. */
  readonly edit: (edits: Edits) => void;
  /** Makes it of something else. */
  readonly choose: (way: Way) => void;
  /** Undefined: there is nothing to undo. */
  readonly undo: (() => void) | undefined;
  readonly discard: () => void;
  /** It goes on with what somebody else did, and with the text that this is without changes. */
  readonly take: (text: string, theirs: string) => void;
}

/** A longer text is read when nobody types. */
const SHORT = 50_000;

interface Reading {
  readonly text: string;
  readonly read: ReadText;
}

function readingOf(text: string): Reading {
  return { text, read: readText(text) };
}

function useReading(text: string) {
  const isShort = text.length < SHORT;
  const now = useMemo(() => (isShort ? readingOf(text) : undefined), [text]);
  const [late, setLate] = useState(() => now ?? readingOf(text));
  useEffect(() => {
    if (isShort || late.text === text) return;
    const timer = setTimeout(() => setLate(readingOf(text)), pauseMs(text));
    return () => clearTimeout(timer);
  }, [text]);
  const reading = now ?? late;
  const readNow = (newest = text): ReadText => {
    const found = reading.text === newest ? reading : readingOf(newest);
    setLate(found);
    return found.read;
  };
  return { reading, readNow };
}

export interface EditorOptions {
  /** What is edited. */
  readonly id: string;
  /** What it is without changes. */
  readonly initial: string;
  readonly base: ApplicationDetail | undefined;
}

function useText(initial: string, found: string | undefined) {
  const [now, set] = useState(() => begun(initial, found));
  const latest = useRef(now);
  const change = (next: EditedText): void => {
    // The next event may come before it is drawn.
    latest.current = next;
    set(next);
  };
  return { now, latest, change };
}

export function useEditor({ id, initial: given, base }: EditorOptions): Editor {
  const { user } = useSession();
  const [found] = useState(() => TEXTS.of(id, user));
  const { now, latest, change } = useText(found?.initial ?? given, found?.text);
  const { text, initial, past } = now;
  const { reading, readNow } = useReading(text);
  const { read, text: readFrom } = reading;
  const shown = useRef<Editor['shown']>({ text: '', value: {} });
  if ('value' in read && shown.current.value !== read.value) shown.current = { text: readFrom, value: read.value };
  const isDirty = text !== initial;
  useEffect(() => {
    if (isDirty) TEXTS.keep(id, user, { initial, text, base });
    else TEXTS.drop(id, user);
  }, [now, base]);
  const edit = (edits: Edits): void => {
    const { text: current } = latest.current;
    const newest = readText(current);
    // What was typed since it was read may be no YAML.
    if ('problem' in newest) return;
    const { value } = newest;
    const chosen = typeof edits === 'function' ? edits(value, textsIn(current, value)) : edits;
    const next = editYaml(current, chosen);
    change(edited(latest.current, next));
    // What is clicked next must not be where something else was.
    if (next.length >= SHORT) readNow(next);
  };
  const kept = useRef<KeptWays>(new Map());
  const startWith = (next: EditedText): void => {
    kept.current = new Map();
    change(next);
  };
  const isFound = found !== undefined && text === found.text;
  return {
    text,
    read,
    shown: shown.current,
    isDirty,
    isFound,
    readNow: () => readNow(),
    write: (typed) => change(written(latest.current, typed)),
    edit,
    choose: (way) => edit((value, textAt) => chooseWay(kept.current, { value, textAt }, way)),
    undo: past.length === 0 ? undefined : () => change(undone(latest.current)),
    discard: () => startWith(discarded(latest.current)),
    take: (taken, theirs) => startWith(tookOver(taken, theirs)),
  };
}
