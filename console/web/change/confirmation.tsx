import { useId, useRef, useState } from 'preact/hooks';

export interface Confirmation {
  /** What was typed for what is shown now. */
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
  /** What has to be typed. */
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
