import type { Application } from '#api/v1alpha1/application.js';
import { defined } from '#lib/plain.js';
import type { ApplicationDetail } from '../../../shared/application-detail.js';

/** The Application of an answer, as far as what can be asked of it depends on it. */
export function applicationOf(detail: ApplicationDetail): Application {
  const { namespace, name, uid, resourceVersion, annotations, labels, spec } = detail;
  const { kind, history, rollout, approval, removals } = detail;
  const destinations = detail.destinations.map((each) => ({
    name: each.name,
    state: each.state,
    cluster: each.cluster,
  }));
  const held = approval === '' ? undefined : { ...removals, approval };
  const status = { ...defined({ history, rollout, removals: held }), kind, destinations };
  return {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', spec },
    metadata: { namespace, name, uid, resourceVersion, annotations, labels },
    // A state, as the server said it.
    status: status as Application['status'],
  } as Application;
}
