import { useId, useRef, useState, useMemo } from 'preact/hooks';
import type { PlanView } from '#queries/answers/plans.js';
import { lossOf, planKey } from './model/plan-words.js';

export interface Confirmation {
  /** The text that the user typed for what is shown now. */
  readonly typed: string;
  readonly type: (text: string) => void;
  /** True: something else is shown than at first. */
  readonly isChanged: boolean;
}

/**
 * `agreed`: what somebody agrees to when he types; if it is something else, he has to type it again. `how`: what he
 * chose himself.
 */
export function useConfirmation(agreed: string, how = ''): Confirmation {
  const first = useRef(agreed);
  const of = JSON.stringify([agreed, how]);
  const [said, set] = useState({ of, text: '' });
  const typed = said.of === of ? said.text : '';
  return { typed, type: (text) => set({ of, text }), isChanged: agreed !== first.current };
}

interface ConfirmFieldProps {
  /** The name to type. */
  readonly name: string;
  readonly confirmation: Pick<Confirmation, 'typed' | 'type'>;
}

/** Nobody types by mistake. */
export function ConfirmField({ name, confirmation: { typed, type } }: ConfirmFieldProps) {
  const field = useId();
  return (
    <>
      <label for={field}>
        Type <code>{name}</code> to confirm
      </label>
      <input
        id={field}
        class="wide"
        value={typed}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </>
  );
}

/** What the controller would do, or why nobody knows; neither while it is computed. */
export interface Plan<T extends PlanView = PlanView> {
  readonly found?: T;
  readonly unknown?: string;
  readonly again: () => void;
}

/** What somebody agreed to, of what has to be agreed to. */
interface Consent {
  readonly typed: string;
  readonly type: (text: string) => void;
  readonly isTicked: boolean;
  readonly tick: (isTicked: boolean) => void;
}

/** Of something else, nobody has typed or ticked anything yet. */
function useConsent(key: string): Consent {
  const [said, say] = useState({ key: '', text: '', isTicked: false });
  const { text, isTicked } = said.key === key ? said : { text: '', isTicked: false };
  return {
    ...{ typed: text, isTicked },
    type: (typed) => say({ key, text: typed, isTicked: false }),
    tick: (ticked) => say({ key, text: '', isTicked: ticked }),
  };
}

export interface AskedProps {
  /** What is uninstalled, in words; undefined: nothing. */
  readonly loss: string | undefined;
  /** Nobody knows what would be lost. */
  readonly isBlind: boolean;
  readonly name: string;
  /** What is done: `Save it`. */
  readonly deed: string;
  readonly consent: Consent;
}

/** Asks for what has to be agreed to. */
export function Asked({ loss, isBlind, name, deed, consent }: AskedProps) {
  if (isBlind) {
    return (
      <label class="tick">
        <input
          type="checkbox"
          checked={consent.isTicked}
          onChange={(event) => consent.tick(event.currentTarget.checked)}
        />
        <span>{deed} without knowing what it would uninstall</span>
      </label>
    );
  }
  if (loss === undefined) return null;
  return (
    <div class="banner">
      <p>
        <strong>{loss}</strong>
      </p>
      <ConfirmField name={name} confirmation={consent} />
    </div>
  );
}

interface About extends Pick<AskedProps, 'name' | 'deed'> {
  /** What is agreed to for one change is not agreed to for another. Default: there is only one. */
  readonly change?: string;
}

/** Ready once the plan is known, and what it uninstalls is agreed to; what was typed for one plan counts for no other. */
export function useReady({ found, unknown }: Plan, { name, deed, change = '' }: About) {
  const loss = useMemo(() => (found === undefined ? undefined : lossOf(found)), [found]);
  const isBlind = unknown !== undefined;
  const key = useMemo(() => JSON.stringify([change, isBlind, planKey(found)]), [change, isBlind, found]);
  const consent = useConsent(key);
  const isKnown = found !== undefined || unknown !== undefined;
  const isAgreed = isBlind ? consent.isTicked : loss === undefined || consent.typed === name;
  const isDangerous = isBlind || loss !== undefined;
  return { isReady: isKnown && isAgreed, isDangerous, asked: { loss, isBlind, name, deed, consent } };
}
