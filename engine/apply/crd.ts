import type { Unstructured } from '#api/meta.js';
import type { Member } from '../member/member.js';
import { servedKinds } from './model/crd.js';

/** Invalidates discovery for the kinds of a CRD that was just applied. */
export function expectKinds(member: Member, crd: Unstructured): void {
  for (const { apiVersion, kind } of servedKinds(crd)) member.expectKind(apiVersion, kind);
}
