import type { Unstructured, ResourceType } from '#api/meta.js';
import type { Member } from '../member/member.js';
import { servedKinds } from './model/crd.js';
import { sleep } from '#runtime/until.js';
import { TerminalError } from '#lib/errors.js';
import type { ApplyRequest } from './types.js';

/** An established CRD appears in discovery a moment later. */
const DISCOVERY_LIMIT_MS = 15_000;
const DISCOVERY_POLL_MS = 500;

/** The type of an object; `isArriving`: its CRD was just applied, so the kind is waited for. Throws `NoKindMatch`. */
export async function resolveType(
  { member, signal }: Pick<ApplyRequest, 'member' | 'signal'>,
  object: Unstructured,
  isArriving: boolean,
): Promise<ResourceType> {
  const deadline = performance.now() + DISCOVERY_LIMIT_MS;
  for (;;) {
    try {
      return await member.resourceType(object.apiVersion, object.kind, { signal });
    } catch (error: unknown) {
      const arrives = error instanceof TerminalError && isArriving;
      if (!arrives || performance.now() > deadline) throw error;
      await sleep(DISCOVERY_POLL_MS, signal);
    }
  }
}

/** Invalidates discovery for the kinds of a CRD that was just applied. */
export function expectKinds(member: Member, crd: Unstructured): void {
  for (const { apiVersion, kind } of servedKinds(crd)) member.expectKind(apiVersion, kind);
}
