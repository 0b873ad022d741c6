import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { OBJECTS_MISSING } from '#api/flux/conditions.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import { getCondition } from '#lib/kube/conditions.js';
import { isMap } from '#lib/plain.js';
import type { Problem } from '#engine/flux/model/progress.js';
import { isKept } from './manifest.js';
import type { HelmRelease } from './types.js';

/** More are counted. */
const SHOWN = 3;

/** Kinds that come to an end, and are removed then by whoever cleans up: `Job`, `PipelineRun`, `CertificateRequest`. */
const ENDS = /^(?:Pod|Event)$|(?:Run|Task|Workflow|Request|(?<!Cron)Job)$/;

/** Fields with which objects are deleted once they are done. */
const LIFETIMES: readonly string[] = ['ttlSecondsAfterFinished', 'ttlStrategy', 'ttl'];

/**
 * True if an object of a release is only deleted by somebody: not one that ends by itself, that has a lifetime, or that
 * stays behind anyway (`helm.sh/resource-policy: keep`).
 */
export function isToStay(object: Unstructured): boolean {
  if (ENDS.test(object.kind) || isKept(object)) return false;
  if (object.kind === 'Secret' && object['type'] === 'bootstrap.kubernetes.io/token') return false;
  const spec = object['spec'];
  return !isMap(spec) || LIFETIMES.every((field) => spec[field] === undefined);
}

/** Objects of a release that were looked for. */
export interface Missing {
  /** `Kind/namespace/name` of those that do not exist. */
  readonly subjects: readonly string[];
  /** How many others could not be looked for. */
  readonly unknown: number;
}

function wayOut({ metadata, kind, spec }: HelmRelease): string {
  const [owner] = applicationOwners({ apiVersion: '', kind, metadata });
  const sync =
    owner === undefined
      ? `set its annotations ${REQUESTED_AT_ANNOTATION} and ${FORCE_AT_ANNOTATION} to one new value`
      : `run fairlead sync ${owner.name} --force`;
  const corrects = spec.driftDetection?.mode === 'enabled';
  return corrects ? sync : `${sync}, or set driftDetection.mode to enabled`;
}

/**
 * Why a release that is in sync is not Ready: objects of it do not exist. Undefined if they do. As long as some cannot be
 * looked for, what was reported before stays.
 */
export function missingProblem(release: HelmRelease, { subjects, unknown }: Missing): Problem | undefined {
  if (subjects.length === 0) return unknown === 0 ? undefined : reportedMissing(release.status);
  const more = subjects.length > SHOWN ? ` and ${subjects.length - SHOWN} more` : '';
  const names = `${subjects.slice(0, SHOWN).join(', ')}${more}`;
  const message = `objects of the release do not exist any more: ${names}; to create them again, ${wayOut(release)}`;
  return { reason: OBJECTS_MISSING, message };
}

/** The missing objects that a status reports. */
export function reportedMissing(status: HelmReleaseStatus | undefined): Problem | undefined {
  const ready = getCondition(status?.conditions ?? [], 'Ready');
  if (ready?.status !== 'False' || ready.reason !== OBJECTS_MISSING) return undefined;
  return { reason: ready.reason, message: ready.message };
}
