import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { Condition } from '#api/meta.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { getCondition, setCondition, withoutConditions } from '#lib/kube/conditions.js';
import type { HelmChart, Source, SourceStatus } from './source.js';

/** The context of a status. */
export interface StatusContext {
  readonly generation: number;
  /** RFC 3339 with seconds. */
  readonly now: string;
}

export interface Report {
  /** PascalCase. */
  readonly reason: string;
  /** Without times and counters, so that it is stable. */
  readonly message: string;
}

export interface Failure extends Report {
  /** `stalled`: not retried until something that is watched changes. */
  readonly outlook: 'stalled' | 'retrying';
}

type FailureCondition = 'FetchFailed' | 'IncludeUnavailable' | 'BuildFailed' | 'StorageOperationFailed';

const BUILD_REASONS: ReadonlySet<string> = new Set([
  'ChartPackageError',
  'DependencyBuildError',
  'MetadataPatchError',
  'ValuesFilesError',
]);
const STORAGE_REASONS: ReadonlySet<string> = new Set([
  'ArchiveOperationFailed',
  'CopyFailure',
  'StorageOperationFailed',
]);
const INCLUDE_REASONS: ReadonlySet<string> = new Set(['IncludeUnavailable', 'NoArtifact', 'NotFound']);
/** Of a signature: it was fetched, but is not to be trusted. */
const VERIFICATION_REASONS: ReadonlySet<string> = new Set([
  'VerificationError',
  'InvalidVerificationMode',
  'InvalidGitObject',
  'InvalidCommitSignature',
  'InvalidTagSignature',
]);
const FAILURES: readonly FailureCondition[] = [
  'FetchFailed',
  'IncludeUnavailable',
  'BuildFailed',
  'StorageOperationFailed',
];

/** The condition of the step that failed, by the reason; the fetch by default. */
function failureConditionOf(reason: string): Pick<Condition, 'type' | 'status'> {
  if (VERIFICATION_REASONS.has(reason)) return { type: 'SourceVerified', status: 'False' };
  if (INCLUDE_REASONS.has(reason)) return { type: 'IncludeUnavailable', status: 'True' };
  if (BUILD_REASONS.has(reason)) return { type: 'BuildFailed', status: 'True' };
  return { type: STORAGE_REASONS.has(reason) ? 'StorageOperationFailed' : 'FetchFailed', status: 'True' };
}

/** The status after a successful reconciliation. `stored`: there is an artifact; `verified`: it was signed. */
export function succeeded<T extends SourceStatus>(
  status: T,
  { generation, now }: StatusContext,
  report: Report & { readonly stored: boolean; readonly verified?: Report | undefined },
): T {
  const { reason, message, stored, verified } = report;
  const condition = { status: 'True', reason, message, observedGeneration: generation } as const;
  const cleared = withoutConditions(status.conditions ?? [], 'Reconciling', 'Stalled', 'ArtifactOutdated', ...FAILURES);
  const ready = setCondition(cleared, { type: 'Ready', ...condition }, now);
  const inStorage = stored
    ? setCondition(ready, { type: 'ArtifactInStorage', ...condition }, now)
    : withoutConditions(ready, 'ArtifactInStorage');
  const conditions = verified
    ? setCondition(inStorage, { ...condition, ...verified, type: 'SourceVerified' }, now)
    : withoutConditions(inStorage, 'SourceVerified');
  return { ...status, observedGeneration: generation, conditions };
}

/**
 * The status after a failed reconciliation. The artifact stays: it can still be used. As in Flux, the generation is
 * only observed if the failure is final.
 */
export function failed<T extends SourceStatus>(status: T, { generation, now }: StatusContext, report: Failure): T {
  const { reason, message, outlook } = report;
  const condition = { reason, message, observedGeneration: generation } as const;
  const failure = failureConditionOf(reason);
  const progress =
    outlook === 'stalled'
      ? ({ type: 'Stalled', status: 'True', ...condition } as const)
      : ({ type: 'Reconciling', status: 'True', ...condition, reason: 'ProgressingWithRetry' } as const);
  const others = [
    ...FAILURES.filter((each) => each !== failure.type),
    outlook === 'stalled' ? 'Reconciling' : 'Stalled',
  ];
  let conditions = withoutConditions(status.conditions ?? [], ...others);
  conditions = setCondition(conditions, progress, now);
  conditions = setCondition(conditions, { type: 'Ready', status: 'False', ...condition }, now);
  conditions = setCondition(conditions, { ...failure, ...condition }, now);
  return { ...status, ...(outlook === 'stalled' ? { observedGeneration: generation } : {}), conditions };
}

/** Fields of a merge patch that turns `before` into `after`; undefined when they are equal. */
export function statusPatch(before: object, after: object): Record<string, unknown> | undefined {
  const old = new Map<string, unknown>(Object.entries(before));
  const next = new Map<string, unknown>(Object.entries(after));
  const patch: Record<string, unknown> = {};
  for (const field of new Set([...old.keys(), ...next.keys()])) {
    const value = next.get(field);
    if (canonicalJson(old.get(field) ?? null) !== canonicalJson(value ?? null)) patch[field] = value ?? null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** True if the object reports Ready for this generation. */
export function isSettled(status: SourceStatus | undefined, generation: number): boolean {
  return status?.observedGeneration === generation && getCondition(status.conditions, 'Ready')?.status === 'True';
}

/** What the signature of the stored artifact says, if it was verified as the spec asks for now. */
export function knownVerification({ metadata, status }: Pick<Source, 'metadata' | 'status'>): Report | undefined {
  const condition = getCondition(status?.conditions, 'SourceVerified');
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation ? condition : undefined;
}

/**
 * True unless `spec.verify` asks for a signature, and the stored artifact was not made of the revision that was verified:
 * the same version may be pushed again, and another one of it be signed.
 */
export function isAsVerified({ spec, metadata, status }: HelmChart, revision: string): boolean {
  if (spec.verify === undefined) return true;
  return status?.observedSourceArtifactRevision === revision && knownVerification({ metadata, status }) !== undefined;
}

/** True for a pass of the interval. What was asked for or changed is answered afresh, whatever is known already. */
export function isRoutine({ metadata, status }: Pick<Source, 'metadata' | 'status'>): boolean {
  const requested = metadata.annotations?.[REQUESTED_AT_ANNOTATION];
  const isHandled = requested === undefined || requested === status?.lastHandledReconcileAt;
  return isHandled && isSettled(status, metadata.generation ?? 0);
}
