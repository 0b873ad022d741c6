import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useTyped } from './use-typed.js';

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  /** Called when the user is done with the field. */
  readonly commit: (value: string) => void;
  readonly help?: string;
  /** What the API server says of it. */
  readonly problem?: string | undefined;
  readonly readOnly?: boolean;
  readonly placeholder?: string;
  /** What may be chosen; anything else can be typed. */
  readonly suggestions?: readonly string[];
}

function Note({ id, text, isBad = false }: { id: string; text: string; isBad?: boolean }) {
  if (text === '') return null;
  return (
    <p id={id} class={isBad ? 'bad' : 'hint'}>
      {text}
    </p>
  );
}

function Suggestions({ id, choices }: { id: string; choices: readonly string[] }) {
  return (
    <datalist id={id}>
      {choices.map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  );
}

export function Field(props: FieldProps) {
  const { label, value, commit, help = '', problem = '', suggestions = [], readOnly = false, placeholder = '' } = props;
  const { typed, type, handOver } = useTyped(value);
  const id = useId();
  return (
    <div class="entry">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={typed}
        readOnly={readOnly}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        list={`${id}-list`}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-help ${id}-problem`}
        onInput={(event) => type(event.currentTarget.value)}
        onChange={(event) => commit(handOver(event.currentTarget.value.trim()))}
      />
      <Suggestions id={`${id}-list`} choices={suggestions} />
      <Note id={`${id}-help`} text={help} />
      <Note id={`${id}-problem`} text={problem} isBad />
    </div>
  );
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, text: string])[];
  readonly choose: (value: T) => void;
  readonly help?: string;
  readonly problem?: string | undefined;
}

/** Characters of a choice that are not cut in one of two columns. */
const ROOM = 25;

export function Select<T extends string>(props: SelectProps<T>) {
  const { label, value, choices, choose, help = '', problem = '' } = props;
  const id = useId();
  const isLong = choices.some(([, text]) => text.length > ROOM);
  const chosen = (text: string): void => {
    const choice = choices.find(([each]) => each === text);
    if (choice !== undefined) choose(choice[0]);
  };
  return (
    <div class={isLong ? 'entry wide' : 'entry'}>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-help ${id}-problem`}
        onChange={(event) => chosen(event.currentTarget.value)}
      >
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
      <Note id={`${id}-help`} text={help} />
      <Note id={`${id}-problem`} text={problem} isBad />
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly check: (checked: boolean) => void;
}

export function Check({ label, checked, check }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => check(event.currentTarget.checked)} /> {label}
    </label>
  );
}

/** Fields that belong together. */
export function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="entries">{children}</div>
    </fieldset>
  );
}
