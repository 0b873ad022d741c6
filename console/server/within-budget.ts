import type { UserInfo } from '#api/core.js';
import { Budget } from '#queries/plans/budget.js';
import { PreviewError } from '#queries/plans/preview-error.js';
import type { Kube } from '#runtime/client/kube.js';
import { Refusal } from '../shared/refusal.js';

/** Bytes of all that is read for one answer. */
const MOST_BYTES = 32_000_000;

/** Reads as the user, as much as one answer may cost. Throws a Refusal (422) if it is more. */
export async function withinBudget<T>(kube: Kube, user: UserInfo, read: (own: Kube) => Promise<T>): Promise<T> {
  try {
    return await read(kube.actingAs(user, new Budget({ bytes: MOST_BYTES })));
  } catch (error: unknown) {
    if (!(error instanceof PreviewError)) throw error;
    throw new Refusal(422, error.message, { cause: error });
  }
}
