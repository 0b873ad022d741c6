import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { OBJECTS_MISSING } from '#api/flux/conditions.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import { getCondition } from '#lib/kube/conditions.js';
import { createLru } from '#lib/lru.js';
import { isMap } from '#lib/plain.js';
import type { Problem } from '#engine/flux/model/progress.js';
import { isKept } from './manifest.js';
import type { HelmRelease } from './types.js';

/** More are counted. */
const SHOWN = 3;

/**
 * Kinds that come to an end, and are removed then by whoever cleans up: `Job`, `PipelineRun`, `CertificateRequest`, but
 * neither `CronJob` nor `ScaledJob`, which start others.
 */
const ENDS = /^(?:Pod|Event)$|(?:Run|Request|(?<!Cron|Scaled|Scheduled)Job)$/;
/** The same, where the name of the kind does not say so, with the groups of their APIs. */
const ENDING: readonly string[] = [
  ...['argoproj.io/Workflow', 'argoproj.io/Experiment'],
  ...['acme.cert-manager.io/Order', 'acme.cert-manager.io/Challenge'],
];

function ends({ apiVersion, kind }: Unstructured): boolean {
  const [group] = apiVersion.split('/');
  return ENDS.test(kind) || ENDING.includes(`${group}/${kind}`);
}

/** Fields with which objects are deleted once they are done. */
const LIFETIMES: readonly string[] = ['ttlSecondsAfterFinished', 'ttlStrategy', 'ttl'];

/**
 * True if an object of a release is only deleted by somebody: not one that ends by itself, that has a lifetime, or that
 * stays behind anyway (`helm.sh/resource-policy: keep`).
 */
export function isToStay(object: Unstructured): boolean {
  if (ends(object) || isKept(object)) return false;
  if (object.kind === 'Secret' && object['type'] === 'bootstrap.kubernetes.io/token') return false;
  const spec = object['spec'];
  return !isMap(spec) || LIFETIMES.every((field) => spec[field] === undefined);
}

/** Objects of a release that were looked for once. */
export interface Look {
  /** `Kind/namespace/name` of those that do not exist. */
  readonly subjects: readonly string[];
  /** How many others could not be looked for. */
  readonly unknown: number;
}

/** Objects of a release that were looked for, with what was seen before. */
export interface Missing extends Look {
  /** True if others did not exist at this look for the first time: whoever replaces an object may delete it first. */
  readonly looksAgain: boolean;
}

/** Objects of all releases together, some tens of MB. What is forgotten is reported a look later. */
const REMEMBERED = 200_000;

/** The moments at which objects of releases were first seen to be missing, as long as this process runs. */
export class FirstMissed {
  /** By the UID of a release. */
  readonly #since = createLru<ReadonlyMap<string, number>>(REMEMBERED, ({ size }) => size);

  /** An object is missing once it was for `settleMs` milliseconds; until then it is to be looked for again. */
  settled(uid: string, { subjects, unknown }: Look, { nowMs, settleMs }: { nowMs: number; settleMs: number }): Missing {
    const before = this.#since.get(uid);
    const since = new Map(subjects.map((subject) => [subject, Math.min(before?.get(subject) ?? nowMs, nowMs)]));
    // Objects that could not be looked for may still be missing.
    const kept = unknown > 0 && before !== undefined ? new Map([...before, ...since]) : since;
    if (kept.size === 0) this.#since.delete(uid);
    else this.#since.set(uid, kept);
    const settled = subjects.filter((subject) => nowMs - (since.get(subject) ?? nowMs) >= settleMs);
    return { subjects: settled, unknown, looksAgain: settled.length < subjects.length };
  }
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
 * looked for, or are to be looked for again, what was reported before stays.
 */
export function missingProblem(release: HelmRelease, { subjects, unknown, looksAgain }: Missing): Problem | undefined {
  if (subjects.length === 0) return unknown === 0 && !looksAgain ? undefined : reportedMissing(release.status);
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
