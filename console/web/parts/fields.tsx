import { namedClusters } from './model/destinations.js';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** A value that is its own text stands alone. */
  readonly choices: readonly (string | readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

/** One of several; what is not known, e.g. of an old link, can be seen as well. */
export function Choice({ label, value, choices, choose }: ChoiceProps) {
  const all = choices.map((each) => (typeof each === 'string' ? ([each, each] as const) : each));
  const isKnown = all.some(([known]) => known === value);
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {isKnown ? null : <option value={value}>{value}</option>}
        {all.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ClusterChoiceProps extends Pick<ChoiceProps, 'choose'> {
  /** Empty: all. */
  readonly cluster: string;
  readonly destinations: Parameters<typeof namedClusters>[0];
}

export function ClusterChoice({ cluster, destinations, choose }: ClusterChoiceProps) {
  return (
    <Choice label="Cluster" value={cluster} choices={[['', 'All'], ...namedClusters(destinations)]} choose={choose} />
  );
}

interface SearchFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly find: (text: string) => void;
  readonly placeholder?: string;
  readonly isInvalid?: boolean;
}

/** Looks for what is typed with each key. */
export function SearchField({ label = 'Search', value, find, placeholder, isInvalid = false }: SearchFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="search"
        value={value}
        placeholder={placeholder}
        aria-invalid={isInvalid ? 'true' : undefined}
        onInput={(event) => find(event.currentTarget.value)}
      />
    </label>
  );
}

interface TickProps {
  readonly label: string;
  readonly hint: string;
  readonly value: boolean;
  readonly set: (value: boolean) => void;
}

export function Tick({ label, hint, value, set }: TickProps) {
  return (
    <label class="tick">
      <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} />
      <span>
        {label}
        <span class="hint">{hint}</span>
      </span>
    </label>
  );
}
