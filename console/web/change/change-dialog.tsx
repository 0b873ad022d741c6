import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useEffect, useState } from 'preact/hooks';
import { CommandList } from '../parts/command-list.js';
import { type Change, doneWords, urlOf } from './model/change.js';
import type { Command } from '../parts/model/commands.js';
import { pathTo } from '../navigation/model/place.js';
import { changeProblemOf, inOneText, type Problem } from '../data/model/problem.js';
import type { TemplateNames } from '../templates/model/template-query.js';
import { request } from '../data/request.js';
import { useSay } from '../parts/said.js';
import { useSession } from '../session/session.js';
import { useAction, useGone, useStill } from './use-action.js';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/**
 * Above the page, which cannot be used until it is closed. The browser keeps the focus inside, closes it with Escape,
 * and gives the focus back to what opened it.
 */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={close}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

export interface ChangeDialogProps {
  readonly title: string;
  /** Of the button that does it. */
  readonly label: string;
  readonly change: Change;
  /** The same change of what is there now; undefined: it would not be the same. Default: it is not asked for again. */
  readonly afresh?: () => Promise<Change | undefined>;
  /** What came of it; default: what the server says. */
  readonly words?: string;
  /** False: something is still to be said. */
  readonly isComplete?: boolean;
  readonly isDangerous?: boolean;
  /** Asked last: false if it is not what was agreed to any more. */
  readonly isStill?: () => Promise<boolean>;
  /** What does the same in a terminal. */
  readonly commands?: readonly Command[];
  readonly close: () => void;
  readonly children?: ComponentChildren;
}

/** Of an action. */
interface Answer {
  readonly done?: string;
  /** Leads to what came of it. */
  readonly template?: TemplateNames;
}

interface Tried {
  readonly words?: string;
  readonly problem?: Problem;
}

/** Has the server check the change, again whenever it is another one. What was read meanwhile is no other change. */
function useTried(change: Change): Tried & { readonly again: () => void } {
  const { end, epoch } = useSession();
  const [tried, set] = useState<Tried>({});
  const [round, setRound] = useState(0);
  const query = Object.fromEntries(Object.entries(change.query ?? {}).filter(([name]) => name !== 'resourceVersion'));
  const key = JSON.stringify([change.path, query, change.body, round, epoch]);
  useEffect(() => {
    const stop = new AbortController();
    set({});
    const { method, body } = change;
    const options = { method, signal: stop.signal, ...(body === undefined ? {} : { body }) };
    void request<Answer>(urlOf({ ...change, query }, true), options).then((answer) => {
      if (stop.signal.aborted || answer === undefined) return;
      if ('value' in answer) {
        set({ words: doneWords(answer.value.done ?? '') });
        return;
      }
      const problem = changeProblemOf(answer.failure);
      if (problem.kind === 'login') end(problem);
      else set({ problem });
    });
    return () => stop.abort();
  }, [key]);
  return { ...tried, again: () => setRound(round + 1) };
}

function Outcome({ tried, words }: { tried: Tried; words: string | undefined }) {
  if (tried.problem !== undefined) {
    return (
      <p class="banner" role="alert">
        <strong>{tried.problem.title}.</strong> {tried.problem.text}
      </p>
    );
  }
  const accepted = words === undefined ? tried.words : 'The server would accept this.';
  return (
    <p class="outcome" role="status">
      {tried.words === undefined ? 'Asking the server what would come of it …' : accepted}
    </p>
  );
}

interface ButtonsProps extends Pick<ChangeDialogProps, 'label' | 'isDangerous' | 'close'> {
  readonly isReady: boolean;
  readonly isBusy: boolean;
  /** Undefined: nothing has to be checked again. */
  readonly again: (() => void) | undefined;
}

function Buttons({ label, isDangerous = false, isReady, isBusy, close, again }: ButtonsProps) {
  return (
    <p class="buttons">
      <button type="submit" class={isDangerous ? 'danger' : 'main'} aria-disabled={isReady ? undefined : 'true'}>
        {isBusy ? `${label} …` : label}
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
      {again === undefined ? null : (
        <button type="button" onClick={again}>
          Check again
        </button>
      )}
    </p>
  );
}

/**
 * Says what would come of a change, as the server has checked it, and does it when it is confirmed. What came of it is
 * said on the page.
 */
export function ChangeDialog(props: ChangeDialogProps) {
  const { title, label, change, afresh, words, isComplete = true, isDangerous, close, children } = props;
  const [isAsking, still] = useStill(props.isStill);
  const tried = useTried(change);
  const say = useSay();
  const isGone = useGone();
  const { run, isBusy: isWriting, problem } = useAction<Answer>((failed) => say(`${title}: ${inOneText(failed)}`));
  const isBusy = isWriting || isAsking;
  const isReady = tried.words !== undefined && isComplete && !isBusy;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady) return;
    if (!(await still())) {
      if (isGone.current) say(`${title}: nothing was done, as you left while it was checked.`);
      return;
    }
    const { method, body } = change;
    const options = { method, ...(body === undefined ? {} : { body }) };
    const answer = await run(urlOf(change, false), options, async () => {
      const next = await afresh?.();
      return next && urlOf(next, false);
    });
    if (answer === undefined) return;
    const { done = '', template } = answer;
    const lead = template && { to: pathTo('template', { ...template }), title: 'Open the template' };
    say(words ?? doneWords(done), lead);
    // Another dialog may be open by now.
    if (!isGone.current) close();
  };
  const again = tried.problem === undefined ? undefined : tried.again;
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        <Outcome tried={problem === undefined ? tried : { problem }} words={words} />
        <Buttons {...{ label, isDangerous: isDangerous === true, isReady, isBusy, close, again }} />
      </form>
      <CommandList commands={props.commands ?? []} />
    </Dialog>
  );
}
