import type { DestinationState } from '#api/v1alpha1/states.js';
import type { DestinationTree } from './members.js';

/** A HelmRelease or Kustomization, as `fairlead status -o json` prints it. Unknown texts are empty. */
export interface FluxObjectView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The Application that it belongs to; empty for a plain one. */
  readonly application: string;
  readonly cluster: string;
  /** Empty: as specified in the files. */
  readonly targetNamespace: string;
  /** Name of the Helm release. */
  readonly release: string;
  readonly state: DestinationState;
  /** Reason of the condition Ready. */
  readonly reason: string;
  readonly revision: string;
  readonly message: string;
}

/** An object that a HelmRelease or Kustomization needs. */
export interface NeedView {
  /** Path of the reference in the object. */
  readonly field: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** That of a source or a HelmRelease; `Ready` for another object that exists, else `Missing`, or `Unknown`. */
  readonly state: string;
  /** Why it is not Ready, with the way out. */
  readonly message: string;
}

/** The answer of `fairlead status KIND/NAME -o json`. */
export interface FluxObjectStatus extends FluxObjectView {
  readonly needs: readonly NeedView[];
}

/** The answer of `fairlead tree KIND/NAME -o json`. */
export interface FluxObjectTree extends FluxObjectView, Pick<DestinationTree, 'objects' | 'problem' | 'more'> {}
