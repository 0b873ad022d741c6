import type { Member } from '../../engine/member/member.js';

/** What work on the objects of one owner in its target cluster needs. */
export interface ClusterContext {
  readonly member: Member;
  readonly fieldManager: string;
  /** Where namespaced objects go that name no namespace. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}
