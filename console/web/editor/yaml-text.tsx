import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { lineStart } from '../model/line-start.js';
import type { TextProblem } from '../model/application-text.js';

interface YamlTextProps {
  readonly label: string;
  readonly text: string;
  readonly write: (text: string) => void;
  readonly problem?: TextProblem | undefined;
  readonly rows: number;
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

/** YAML with the numbers of its lines. Tab leaves it, as any field. */
export function YamlText({ label, text, write, problem, rows, done }: YamlTextProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [top, scroll] = useState(0);
  const lines = useMemo(() => text.split('\n').length, [text]);
  const numbers = useMemo(() => Array.from({ length: lines }, (_, index) => index + 1).join('\n'), [lines]);
  const gutter = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (gutter.current !== null) gutter.current.scrollTop = top;
  }, [top, numbers]);
  // What cannot be read is not left behind unseen.
  useEffect(() => area.current?.setCustomValidity(problem?.text ?? ''), [problem]);
  const show = (line: number, column: number): void => {
    const at = lineStart(text, line) + column - 1;
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  return (
    <div class="yaml">
      <label for={id}>{label}</label>
      {problem === undefined ? null : <Problem id={`${id}-problem`} problem={problem} show={show} />}
      <div class="numbered">
        <pre ref={gutter} aria-hidden="true" style={{ width: `calc(${String(lines).length}ch + 1rem)` }}>
          {numbers}
        </pre>
        <textarea
          id={id}
          ref={area}
          value={text}
          rows={rows}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={problem === undefined ? undefined : 'true'}
          {...(problem === undefined ? {} : { 'aria-describedby': `${id}-problem` })}
          onInput={(event) => write(event.currentTarget.value)}
          onChange={(event) => done?.(event.currentTarget.value)}
          onScroll={(event) => scroll(event.currentTarget.scrollTop)}
        />
      </div>
    </div>
  );
}
