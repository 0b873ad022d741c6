import type { Application } from '../../api/v1alpha1/application.js';
import { defined } from '../runtime/pure/defined.js';

/** One destination that waits: what `fairlead pending -o json` prints. Unknown texts are empty. */
export interface PendingView {
  readonly application: string;
  readonly namespace: string;
  readonly destination: string;
  readonly cluster: string;
  /** Revisions of the Application; absent if none are kept. */
  readonly from?: number;
  readonly to?: number;
  readonly change: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly since: string;
}

/** The destinations that wait, as the status lists them, and how many more it does not list. */
export function pendingViews(applications: readonly Application[]): { pending: PendingView[]; more: number } {
  const pending = applications.flatMap(({ metadata, status }) =>
    (status?.pending?.destinations ?? []).map(({ name, cluster, change = '', reason, message, since, ...row }) => ({
      ...defined({ from: row.from, to: row.to }),
      ...{ cluster, reason, message, since },
      application: metadata.name,
      namespace: metadata.namespace ?? '',
      destination: name,
      change,
    })),
  );
  const total = applications.reduce((sum, { status }) => sum + (status?.pending?.total ?? 0), 0);
  return { pending, more: total - pending.length };
}
