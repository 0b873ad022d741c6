import type { Logger } from 'pino';
import { HEALTH_CHECK_CANCELED } from '#api/flux/conditions.js';
import type { Unstructured } from '#api/meta.js';
import { NO_RULES, type HealthRules } from '#engine/health/expressions.js';
import type { EndedBy } from '#engine/health/wait.js';
import { SupersededError } from '#lib/errors.js';
import type { Offload } from '#runtime/isolation/offload.js';
import type { ClusterContext } from '#engine/flux/objects.js';
import type { SecretTexts } from '#engine/flux/model/secret-texts.js';
import type { ReleaseTarget } from '#engine/flux/model/release-target.js';
import type { RenderedChart } from '../model/manifest.js';
import type { ChartRecord, ReleaseRecord } from '../model/release.js';
import type { Pass } from '../pass.js';
import { FIELD_MANAGER } from '../model/ownership.js';
import { ReleaseStorage } from '../storage.js';

/** What an action works with: one release on one cluster. */
export interface ActionContext extends ClusterContext {
  readonly storage: ReleaseStorage;
  readonly releaseName: string;
  /** When objects of custom kinds are ready. */
  readonly healthRules: HealthRules;
  readonly log: Logger;
  /** Masks what users read. */
  readonly secrets: SecretTexts;
  readonly offload: Pick<Offload, 'run'>;
  /** Whose work is done in other threads. */
  readonly tenant: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Why nobody waits for objects any more; see `WaitRequest`. */
  readonly endedBy?: EndedBy | undefined;
}

/** What actions on a release at `target` work with. */
export function actionContext(
  {
    release,
    now,
    offload,
    log,
    signal,
    secrets,
  }: Pick<Pass, 'release' | 'now' | 'offload' | 'log' | 'signal' | 'secrets'>,
  at: Pick<ActionContext, 'member' | 'endedBy'> & {
    readonly target: ReleaseTarget;
    readonly healthRules?: HealthRules;
  },
): ActionContext {
  const { member, target, healthRules = NO_RULES, endedBy } = at;
  const { releaseName, namespace, storageNamespace } = target;
  const { name, namespace: tenant = '', uid } = release.metadata;
  const storage = new ReleaseStorage({
    kube: member.kube,
    namespace: storageNamespace,
    releaseName,
    origin: { name, namespace: tenant, uid },
    signal,
    now,
    secrets,
    offload,
    tenant,
  });
  return {
    ...{ member, fieldManager: FIELD_MANAGER, namespace, signal },
    ...{ storage, releaseName, healthRules, log, secrets, now, offload, tenant, endedBy },
  };
}

/** The revision that an install or upgrade deploys. */
export interface Desired {
  readonly chart: ChartRecord;
  readonly values: Readonly<Record<string, unknown>>;
  /** From crds/, already on the cluster. */
  readonly crds: readonly Unstructured[];
  readonly rendered: RenderedChart;
}

/** Nobody waits for an action any more. The revision that it leaves is marked as failed. */
export class AbandonedError extends SupersededError {
  /** The revision as storage has it now, and its status before. */
  readonly left: { readonly record: ReleaseRecord; readonly was: string };

  constructor({ reason = HEALTH_CHECK_CANCELED, message }: SupersededError, left: AbandonedError['left']) {
    super(reason, message);
    this.left = left;
  }
}

/** How an action ended. `record` is the revision in storage, if the action got that far. */
export interface Outcome {
  readonly record: ReleaseRecord | undefined;
  /** Absent after a success. */
  readonly error?: string;
  /** The namespace that an object needs and that does not exist, where that is the error. */
  readonly missingNamespace?: string | undefined;
}
