import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FirstLog } from '../model/log-choice.js';
import { lineCount, textOfLog, unfinished, type LogBlock } from '../model/log-text.js';
import type { Problem } from '../../data/model/problem.js';
import { logsPath } from '../model/member-paths.js';
import { Choice } from '../../parts/choice.js';
import { keepAsFile } from '../../parts/keep-as-file.js';
import { useLog, type Log } from './use-log.js';

export interface LogOf {
  readonly cluster: string;
  readonly pod: string;
  readonly containers: readonly string[];
  readonly first: FirstLog;
}

interface LogChoice extends FirstLog {
  readonly tailLines: number;
  readonly follow: boolean;
}

const TAILS = [100, 1_000, 10_000];
const FIRST_TAIL = 1_000;
/** Pixels from the end that still count as there. */
const NEAR = 16;

/** What is not new is not compared again: its element is the same. */
function useBlocks(): (block: LogBlock) => JSX.Element {
  const drawn = useRef(new WeakMap<LogBlock, JSX.Element>());
  return (block) => {
    const known = drawn.current.get(block);
    if (known !== undefined) return known;
    const element = (
      <div key={block.index} class="block">
        {`${block.lines.join('\n')}\n`}
      </div>
    );
    drawn.current.set(block, element);
    return element;
  };
}

/** The lines, which stay at their end while more come, unless somebody reads further up. */
function Lines({ log, label }: { log: Log; label: string }) {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const blockOf = useBlocks();
  const last = unfinished(log.text);
  useLayoutEffect(() => {
    const { current } = element;
    if (current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [log.text]);
  const look = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { currentTarget: HTMLElement }): void => {
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - NEAR;
  };
  return (
    <div ref={element} class="log" role="region" aria-label={label} tabIndex={0} onScroll={look}>
      {log.text.blocks.map(blockOf)}
      {last.length === 0 ? null : <div class="block">{last.join('\n')}</div>}
    </div>
  );
}

function wordsOf({ text, phase }: Log, follow: boolean): string {
  const lines = lineCount(text);
  const held = `${lines.toLocaleString()} ${lines === 1 ? 'line' : 'lines'}`;
  const earlier = text.dropped === 0 ? '' : `, ${text.dropped.toLocaleString()} earlier ones are not kept here`;
  if (phase === 'reading') return follow ? `Following: ${held}${earlier}` : `Reading … ${held}`;
  const ended = follow ? (phase === 'stopped' ? ' Stopped.' : ' The log has ended.') : '';
  return lines === 0 && phase === 'ended' ? 'It printed nothing.' : `${held}${earlier}.${ended}`;
}

/** Unlike a page, a log is not asked for again by itself. */
function problemWords({ kind, text }: Problem): string {
  return kind === 'disconnected' ? 'Its answer did not come, or ended in the middle: read it again.' : text;
}

interface ControlsProps {
  readonly containers: readonly string[];
  readonly choice: LogChoice;
  readonly choose: (choice: LogChoice) => void;
}

function Controls({ containers, choice, choose }: ControlsProps) {
  return (
    <div class="fields">
      {containers.length < 2 ? null : (
        <Choice
          label="Container"
          value={choice.container}
          choices={containers.map((name) => [name, name] as const)}
          choose={(container) => choose({ ...choice, container })}
        />
      )}
      <Choice
        label="Last lines"
        value={String(choice.tailLines)}
        choices={TAILS.map((lines) => [String(lines), lines.toLocaleString()] as const)}
        choose={(lines) => choose({ ...choice, tailLines: Number(lines) })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={choice.previous}
          onChange={({ currentTarget }) => choose({ ...choice, previous: currentTarget.checked, follow: false })}
        />
        Before the last restart
      </label>
    </div>
  );
}

/** What a container prints: the last lines, and on request what comes. */
export function LogView({ path, of: { cluster, pod, containers, first } }: { path: string; of: LogOf }) {
  const [choice, choose] = useState<LogChoice>({
    ...{ ...first, tailLines: FIRST_TAIL, follow: false },
  });
  const [turn, setTurn] = useState(0);
  const { container, follow, previous } = choice;
  const pathOf = (changed: Partial<LogChoice>): string => logsPath(path, { cluster, pod, ...choice, ...changed });
  const none = follow ? { pathOfNone: pathOf({ follow: false, tailLines: 0 }) } : {};
  const { log, stop } = useLog({ path: pathOf({}), ...none }, turn);
  const isFollowing = follow && log.phase === 'reading';
  const read = (isFollowed: boolean): void => {
    choose({ ...choice, follow: isFollowed });
    setTurn(turn + 1);
  };
  return (
    <section aria-label="Log" class="log-view">
      <h3>Log of {container}</h3>
      <Controls {...{ containers, choice, choose }} />
      {log.problem === undefined ? null : (
        <p class="banner message" role="alert">
          <strong>The log cannot be read.</strong> {problemWords(log.problem)}
        </p>
      )}
      <p class="hint">{log.phase === 'failed' ? '' : wordsOf(log, follow)}</p>
      {lineCount(log.text) === 0 ? null : <Lines log={log} label={`Log of ${pod}/${container}`} />}
      <p class="buttons">
        {isFollowing ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" disabled={previous} onClick={() => read(true)}>
            Follow
          </button>
        )}
        <button type="button" disabled={isFollowing} onClick={() => read(false)}>
          Read again
        </button>
        <button
          type="button"
          disabled={lineCount(log.text) === 0}
          onClick={() => keepAsFile(`${pod}-${container}.log`, textOfLog(log.text))}
        >
          Download
        </button>
      </p>
    </section>
  );
}
