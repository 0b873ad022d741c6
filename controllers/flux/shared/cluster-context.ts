import type { Member } from '../../engine/member/member.js';

/** What is needed to work on the objects of one owner in its target cluster. */
export interface ClusterContext {
  readonly member: Member;
  readonly fieldManager: string;
  /** The namespace of namespaced objects that name none. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}
