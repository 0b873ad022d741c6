import { useId, useRef, useState } from 'preact/hooks';

export interface Confirmation {
  /** What was typed for what is shown now. */
  readonly typed: string;
  readonly type: (text: string) => void;
  /** True: something else is shown than at first. */
  readonly isChanged: boolean;
}

/** `agreed`: what somebody agrees to when he types; if it is something else, he has to type it again. */
export function useConfirmation(agreed: string): Confirmation {
  const first = useRef(agreed);
  const [said, set] = useState({ agreed, text: '' });
  const typed = said.agreed === agreed ? said.text : '';
  return { typed, type: (text) => set({ agreed, text }), isChanged: agreed !== first.current };
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
