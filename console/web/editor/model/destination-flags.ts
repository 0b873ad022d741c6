import { listed } from '#lib/text/text.js';
import { CREATES_NAMESPACE, yesOrNo, type YesOrNo } from './application-form.js';
import { valueAt, type Path } from '../../model/yaml-edit.js';

/** A flag that each destination has, said or not. */
export interface DestinationFlag {
  /** Below the entry, and below each of its overrides. */
  readonly keys: Path;
  /** What holds where nobody says it, neither the entry nor a template. */
  readonly byDefault: boolean;
  /** What it means, as an end of a sentence. */
  readonly words: Readonly<Record<'true' | 'false', string>>;
}

/** Of a chart: Kustomizations have no such field. */
export const NAMESPACE_FLAG: DestinationFlag = {
  keys: CREATES_NAMESPACE,
  byDefault: false,
  words: { true: 'create it', false: 'it must exist' },
};

/** Of files. */
export const PRUNE_FLAG: DestinationFlag = {
  keys: ['prune'],
  byDefault: true,
  words: { true: 'delete it', false: 'keep it' },
};

const NAMED = 4;
const MOST_OVERRIDES = 4;

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** What can be chosen, the first of which says nothing. */
export function flagChoices(
  { byDefault, words }: DestinationFlag,
  { isTemplate }: { readonly isTemplate: boolean },
): readonly (readonly [YesOrNo, string])[] {
  const otherwise = isTemplate ? 'as the template says' : words[`${byDefault}`];
  return [
    ['', `Not set (${otherwise})`],
    ['true', capitalized(words.true)],
    ['false', capitalized(words.false)],
  ];
}

function clustersOf(override: unknown): string {
  const found = valueAt(override, ['clusters', 'names']);
  const names = Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  return names.length === 0 ? 'clusters with its labels' : listed(names, NAMED);
}

/** Where overrides of the destination decide, which the form does not show; empty: nowhere. Never throws. */
export function overridesHint(value: unknown, destination: Path, { keys, words }: DestinationFlag): string {
  const overrides = valueAt(value, [...destination, 'overrides']);
  const said = (Array.isArray(overrides) ? overrides : []).flatMap((override: unknown, index) => {
    const flag = yesOrNo(override, keys);
    return flag === '' ? [] : [`${words[flag]} on ${clustersOf(override)} (overrides[${index}])`];
  });
  return said.length === 0 ? '' : `Overrides: ${listed(said, MOST_OVERRIDES)}.`;
}
