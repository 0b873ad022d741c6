import { listed } from '#lib/text/text.js';
import type { DestinationView } from './application-view.js';

/** An object of a release, without what a Secret holds. Unknown texts are empty. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  /** The events that a hook of Helm is run for, by commas; empty for other objects. */
  readonly hook: string;
  readonly yaml: string;
  /** Why there is no YAML. */
  readonly problem: string;
}

/** The revision of Helm that was read. */
export interface HelmRevision {
  readonly version: number;
  readonly status: string;
  readonly chart: string;
  readonly chartVersion: string;
}

/** Objects, as far as they are shown. */
export interface ShownManifest {
  readonly objects: readonly ManifestObject[];
  /** How many more there are, at least. */
  readonly more: number;
}

/** What was read of a release. */
export interface ManifestFindings extends ShownManifest {
  /** Of a HelmRelease: its objects are as the chart was rendered. Those of a Kustomization are as they are now. */
  readonly helm?: HelmRevision;
  /** What could not be read, and why; empty if all was read. */
  readonly problem: string;
}

/** One destination with the objects that were put there. */
export interface ManifestView extends DestinationView, ManifestFindings {
  /** Namespace and name. */
  readonly application: string;
}

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
): { readonly destination: DestinationView } | { readonly refused: string } {
  const [first, ...others] = destinations.filter(
    ({ cluster, release, child }) =>
      [cluster, undefined].includes(choice.cluster) &&
      [release, undefined].includes(choice.release) &&
      [child, undefined].includes(choice.child),
  );
  if (first !== undefined && others.length === 0) return { destination: first };
  if (destinations.length === 0) return { refused: 'the Application has no destination' };
  const known = listed(first === undefined ? destinations.map(choiceText) : [first, ...others].map(choiceText), NAMED);
  const problem = first === undefined ? 'no destination is meant' : `${others.length + 1} destinations are meant`;
  return { refused: `${problem}: choose one by cluster, release or child; there are ${known}` };
}
