import { listed } from '#lib/text/text.js';
import type { DestinationView } from '../answers/application.js';

/** Which destination is meant; undefined: any. */
export interface DestinationChoice {
  readonly cluster?: string;
  readonly release?: string;
  /** As a DestinationView has it. */
  readonly child?: string;
}

const NAMED = 10;

function choiceText({ cluster, release, child }: DestinationView): string {
  return `${cluster} ${release === '' ? child : `${release} (${child})`}`;
}

/** The one destination that is meant, or why there is none, with those that there are. Never throws. */
export function chooseDestination(
  destinations: readonly DestinationView[],
  choice: DestinationChoice,
): { readonly destination: DestinationView } | { readonly problem: string } {
  const [first, ...others] = destinations.filter(
    ({ cluster, release, child }) =>
      [cluster, undefined].includes(choice.cluster) &&
      [release, undefined].includes(choice.release) &&
      [child, undefined].includes(choice.child),
  );
  if (first !== undefined && others.length === 0) return { destination: first };
  if (destinations.length === 0) return { problem: 'the Application has no destination' };
  const known = listed(first === undefined ? destinations.map(choiceText) : [first, ...others].map(choiceText), NAMED);
  const problem = first === undefined ? 'no destination is meant' : `${others.length + 1} destinations are meant`;
  return { problem: `${problem}: choose one by cluster, release or child; there are ${known}` };
}
