interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

/** One of several; what is not known, e.g. of an old link, can be seen as well. */
export function Choice({ label, value, choices, choose }: ChoiceProps) {
  const isKnown = choices.some(([known]) => known === value);
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {isKnown ? null : <option value={value}>{value}</option>}
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
