import { useEffect, useRef, useState, useLayoutEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import {
  appended,
  EMPTY_LOG,
  type LogText,
  lineCount,
  textOfLog,
  unfinished,
  type LogBlock,
  type FirstLog,
} from '../model/log.js';
import { problemOf, type Failure, type Problem } from '../../data/model/problem.js';
import { pageHeaders } from '../../data/request.js';
import { useSession } from '../../session/session.js';
import { logsPath } from '../model/member-paths.js';
import { Choice } from '../../parts/fields.js';
import { DownloadButton } from '../../parts/download.js';

type LogPhase = 'reading' | 'ended' | 'stopped' | 'failed';

export interface Log {
  readonly text: LogText;
  readonly phase: LogPhase;
  readonly problem?: Problem;
}

/** A container may print faster than anybody reads. */
const DRAW_MS = 100;
const BEGUN: Log = { text: EMPTY_LOG, phase: 'reading' };

/** Reads a text as it comes. Never throws; undefined at its end. */
async function readText(path: string, signal: AbortSignal, hear: (text: string) => void): Promise<Failure | undefined> {
  try {
    const response = await fetch(path, { headers: pageHeaders(), signal });
    if (!response.ok) return { code: response.status, text: await response.text() };
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done) return undefined;
      hear(decoder.decode(value, { stream: true }));
    }
  } catch (error: unknown) {
    return { text: String(error) };
  }
}

interface LogPaths {
  readonly path: string;
  /** The path that is read once a followed log has ended: it has no lines, and says why there are no more. */
  readonly pathOfNone?: string;
}

/** The output at this path as far as it has come, until it is stopped. Another `turn` reads it anew. */
function useLog({ path, pathOfNone }: LogPaths, turn: number): { readonly log: Log; readonly stop: () => void } {
  const { end, epoch } = useSession();
  const [log, set] = useState<Log>(BEGUN);
  const [again, setAgain] = useState(epoch);
  const stopping = useRef<() => void>(() => undefined);
  useEffect(() => {
    const over = new AbortController();
    let text = EMPTY_LOG;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer = undefined;
      set({ text, phase: 'reading' });
    };
    const conclude = (phase: LogPhase, problem?: Problem): void => {
      clearTimeout(timer);
      over.abort();
      set({ text, phase, ...(problem === undefined ? {} : { problem }) });
    };
    const hear = (part: string): void => {
      text = appended(text, part);
      timer ??= setTimeout(draw, DRAW_MS);
    };
    set(BEGUN);
    stopping.current = () => conclude('stopped');
    const read = async (): Promise<Failure | undefined> => {
      const failure = await readText(path, over.signal, hear);
      const isOver = failure !== undefined || pathOfNone === undefined || over.signal.aborted;
      return isOver ? failure : readText(pathOfNone, over.signal, () => undefined);
    };
    void read().then((failure) => {
      if (over.signal.aborted) return;
      const problem = failure === undefined ? undefined : problemOf(failure);
      if (problem?.kind === 'login') end(problem);
      conclude(problem === undefined ? 'ended' : 'failed', problem);
    });
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [path, turn, again]);
  useEffect(() => {
    // The same user is back, and what he follows is of the session that is over.
    const isFollowed = pathOfNone !== undefined && log.phase === 'reading';
    if (isFollowed || log.problem?.kind === 'login') setAgain(epoch);
  }, [epoch]);
  return { log, stop: () => stopping.current() };
}

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
          choices={containers}
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
        <DownloadButton
          name={`${pod}-${container}.log`}
          text={() => textOfLog(log.text)}
          disabled={lineCount(log.text) === 0}
        />
      </p>
    </section>
  );
}
