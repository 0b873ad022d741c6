import type { Offload } from '#runtime/isolation/offload.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Budget } from './budget.js';
import type { FindRenderer } from './lazy-renderer.js';

/** Who reads, on what his answer is made, and until when. */
export interface Reading {
  /** The host cluster with the rights of the user. */
  readonly kube: Kube;
  readonly findRenderer: FindRenderer;
  readonly offload: Pick<Offload, 'run'>;
  readonly signal: AbortSignal;
  /** What the answer may cost; default: anything. */
  readonly budget?: Budget;
}
