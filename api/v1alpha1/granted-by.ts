import type { KubeObject } from '../meta.js';
import { CREDENTIAL_ACCOUNT_ANNOTATION, CREDENTIAL_GRANT_ANNOTATION, CREDENTIAL_LABEL } from './labels.js';

/** Whoever may write a Secret may write its annotations: anything but names is not shown. */
const NAME = /^[A-Za-z0-9][-./A-Za-z0-9]{0,316}$/;

/**
 * The grant of a Secret with a kubeconfig for a granted cluster, and what it gives, for messages: also after it was
 * taken back. Undefined for any other Secret.
 */
export function grantedBy({
  metadata: { labels = {}, annotations = {} },
}: Pick<KubeObject, 'metadata'>): string | undefined {
  const [grant = '', account = ''] = [
    annotations[CREDENTIAL_GRANT_ANNOTATION],
    annotations[CREDENTIAL_ACCOUNT_ANNOTATION],
  ];
  if (labels[CREDENTIAL_LABEL] !== 'true' || !NAME.test(grant) || !NAME.test(account)) return undefined;
  const rights = account.includes('/') ? `as ServiceAccount ${account}` : "with the inventory's own credential";
  return `ClusterGrant ${grant} ${rights}`;
}
