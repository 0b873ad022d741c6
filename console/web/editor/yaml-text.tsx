import type { RefObject } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { TextProblem } from './model/application-text.js';
import { type Drawn, drawnItems } from '../overview/model/grid.js';
import { pauseMs } from '../model/editor-commands.js';
import type { SchemaTree } from '../model/schema-spot.js';
import { Colours } from '../model/yaml-colours.js';
import { type Findings, findingsOf } from '../model/yaml-findings.js';
import { lineStart } from '../model/yaml-line.js';
import { useViewport, type Viewport } from '../overview/use-viewport.js';
import { type Assist, useAssist } from './use-assist.js';
import { optionId, YamlChoices } from './yaml-choices.js';
import { LineNumbers, YamlColours } from './yaml-colours.js';
import { YamlHelp } from './yaml-help.js';

const NONE: Findings = { findings: [], isCut: false };

/** The parts of a text that the schema does not allow, once nobody types. */
function useFindings(text: string, tree: SchemaTree | undefined): Findings {
  const [found, set] = useState(NONE);
  useEffect(() => {
    if (tree === undefined) {
      set(NONE);
      return undefined;
    }
    const timer = setTimeout(() => set(findingsOf(text, tree)), pauseMs(text));
    return () => clearTimeout(timer);
  }, [text, tree]);
  return found;
}

interface YamlTextProps {
  readonly label: string;
  readonly text: string;
  readonly write: (text: string) => void;
  readonly problem?: TextProblem | undefined;
  readonly rows: number;
  /** What it is read by, if that is known. */
  readonly tree?: SchemaTree | undefined;
  /** Where the cursor is put, each time that it is another object. */
  readonly cursor?: { readonly offset: number } | undefined;
  /** Called when the user is done with it. */
  readonly done?: (text: string) => void;
}

function placeOf({ line, column }: TextProblem): string {
  return line === undefined ? '' : `Line ${line}, column ${column ?? 1}: `;
}

/** The library begins with the place. */
function reasonOf({ text }: TextProblem): string {
  return text.replace(/^line \d+, column \d+: /, '');
}

interface ProblemProps {
  readonly id: string;
  readonly problem: TextProblem;
  readonly show: (line: number, column: number) => void;
}

function Problem({ id, problem, show }: ProblemProps) {
  const { line, column = 1 } = problem;
  return (
    <p id={id} class="banner" role="alert">
      {placeOf(problem)}
      {reasonOf(problem)}{' '}
      {line === undefined ? null : (
        <button type="button" class="small" onClick={() => show(line, column)}>
          Go there
        </button>
      )}
    </p>
  );
}

/** As the styles have it, until it is measured. */
const LINE_PX = 19.5;
/** Space between the border and the text. */
const PADDING_PX = 8;

interface Seen extends Viewport {
  readonly drawn: Drawn;
}

function isSameSeen(one: Seen, other: Seen): boolean {
  return (['top', 'left', 'width', 'height'] as const).every((key) => one[key] === other[key]);
}

/** The lines that can be seen, with their colours. */
function useLines(text: string) {
  const [colours] = useState(() => new Colours());
  const [size, measure] = useState(LINE_PX);
  useMemo(() => colours.read(text), [text]);
  const seenOf = (viewport: Viewport): Seen => {
    const { top, height: room } = viewport;
    return { ...viewport, drawn: drawnItems({ at: top - PADDING_PX, room, size, items: colours.count }, 'rows') };
  };
  const { element: area, look, drawn: seen } = useViewport<HTMLTextAreaElement, Seen>(seenOf, isSameSeen);
  useEffect(() => {
    if (area.current !== null) measure(parseFloat(getComputedStyle(area.current).lineHeight) || LINE_PX);
    look();
  }, []);
  const { drawn } = seen;
  return { area, seen, drawn, count: colours.count, lines: colours.between(drawn.first, drawn.end) };
}

/** Attributes of a text with a list beside it: what is chosen there is said, and the focus stays. */
function assisted({ list }: Assist, id: string) {
  const isChosen = list !== undefined && list.active >= 0;
  return {
    'aria-autocomplete': 'list' as const,
    'aria-haspopup': 'listbox' as const,
    ...(list === undefined ? {} : { 'aria-controls': id }),
    ...(isChosen ? { 'aria-activedescendant': optionId(id, list.active) } : {}),
  };
}

function describedBy(id: string, isWrong: boolean, isAssisted: boolean) {
  const ids = [isWrong ? `${id}-problem` : '', isAssisted ? `${id}-help` : ''].filter((each) => each !== '');
  return ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') };
}

interface AreaProps extends Pick<YamlTextProps, 'text' | 'write' | 'problem' | 'rows' | 'tree' | 'done'> {
  readonly id: string;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly assist: Assist;
  readonly isColoured: boolean;
}

function Area({ id, area, text, write, problem, rows, tree, done, assist, isColoured }: AreaProps) {
  const moved = (): void => assist.look('moved');
  return (
    <textarea
      id={id}
      ref={area}
      class={isColoured ? 'coloured' : ''}
      value={text}
      rows={rows}
      wrap="off"
      spellcheck={false}
      autocomplete="off"
      aria-invalid={problem === undefined ? undefined : 'true'}
      {...describedBy(id, problem !== undefined, tree !== undefined)}
      {...(tree === undefined ? {} : assisted(assist, `${id}-list`))}
      onInput={(event) => {
        write(event.currentTarget.value);
        // What is undone is not typed; scripts of others may send events without a type.
        assist.look(/^history/.test(event.inputType) ? 'moved' : 'typed');
      }}
      onChange={(event) => done?.(event.currentTarget.value)}
      onKeyDown={assist.onKeyDown}
      onKeyUp={assist.onKeyUp}
      onClick={moved}
      onFocus={moved}
      onBlur={assist.close}
    />
  );
}

/** YAML with the numbers of its lines, colours, and what its schema says. Tab leaves it, as any field. */
export function YamlText({ label, ...props }: YamlTextProps) {
  const { text, problem, tree, cursor } = props;
  const id = useId();
  const { area, seen, ...shown } = useLines(text);
  const assist = useAssist(area, tree);
  const found = useFindings(text, tree);
  const painted = { ...shown, seen, findings: found.findings };
  // What cannot be read is not left behind unseen.
  useEffect(() => area.current?.setCustomValidity(problem?.text ?? ''), [problem]);
  const putCursor = (at: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
    assist.look('moved');
  };
  const show = (line: number, column: number): void => putCursor(lineStart(text, line) + column - 1);
  useEffect(() => (cursor === undefined ? undefined : putCursor(cursor.offset)), [cursor]);
  const isColoured = shown.lines.length > 0;
  const at = { top: PADDING_PX - seen.top, left: PADDING_PX - seen.left };
  const { list, take } = assist;
  return (
    <div class="yaml">
      <label for={id}>{label}</label>
      {problem === undefined ? null : <Problem id={`${id}-problem`} problem={problem} show={show} />}
      <div class="numbered">
        <LineNumbers {...painted} />
        <div class="written">
          <Area {...{ ...props, id, area, assist, isColoured }} />
          {isColoured ? <YamlColours {...painted} /> : null}
          {list === undefined ? null : <YamlChoices id={`${id}-list`} {...{ list, at, take }} />}
        </div>
      </div>
      {tree === undefined ? null : <YamlHelp {...{ id: `${id}-help`, assist, found, show }} />}
    </div>
  );
}
