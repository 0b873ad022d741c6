import type { Hook } from './manifest.js';

/** Helm's status of a revision. */
export type ReleaseStatus =
  | 'unknown'
  | 'deployed'
  | 'uninstalled'
  | 'superseded'
  | 'failed'
  | 'uninstalling'
  | 'pending-install'
  | 'pending-upgrade'
  | 'pending-rollback';

/** A file of a chart; `data` is base64, as Go writes bytes. */
export interface ChartFile {
  name: string;
  data: string;
}

/** `Chart.yaml`, including fields that no code reads. */
export interface ChartMetadata {
  name: string;
  version: string;
  appVersion?: string;
  [field: string]: unknown;
}

/** The chart as Helm stores it in a release, without subcharts. */
export interface ChartRecord {
  metadata: ChartMetadata;
  lock: unknown;
  templates: ChartFile[] | null;
  values: Record<string, unknown> | null;
  /** base64 of values.schema.json. */
  schema: string | null;
  files: ChartFile[] | null;
}

/** Times are RFC 3339; a field that is not set is absent. */
export interface ReleaseInfo {
  first_deployed?: string;
  last_deployed?: string;
  deleted?: string;
  description?: string;
  status: ReleaseStatus;
  notes?: string;
  /** The target of a rollback. */
  rollback_revision?: number;
}

/** One revision as in Helm's storage, with Helm's field names. */
export interface ReleaseRecord {
  name: string;
  info: ReleaseInfo;
  chart: ChartRecord;
  config?: Record<string, unknown>;
  manifest: string;
  hooks?: Hook[];
  version: number;
  namespace: string;
  apply_method?: 'ssa' | 'csa';
}

/** One revision according to the labels of its Secret: enough for decisions, without unpacking it. */
export interface StoredRevision {
  readonly version: number;
  readonly status: ReleaseStatus;
  readonly secretName: string;
  readonly resourceVersion: string;
  /** `namespace/name` of the HelmRelease that wrote it; undefined when helm did. */
  readonly origin: string | undefined;
  /** UID of that HelmRelease; undefined: it is not known. */
  readonly originUid?: string | undefined;
  /** True when only an engine wrote it. Helm by hand keeps the label of the origin. */
  readonly untouched: boolean;
}

/** Name of the Secret of one revision. */
export function storageSecretName(releaseName: string, version: number): string {
  return `sh.helm.release.v1.${releaseName}.v${version}`;
}

/** True when an action was running as the record was written. */
export function isPending(status: ReleaseStatus): boolean {
  return status.startsWith('pending-') || status === 'uninstalling';
}

/** A copy of a revision with another status and description. */
export function withStatus(record: ReleaseRecord, status: ReleaseStatus, description: string): ReleaseRecord {
  return { ...record, info: { ...record.info, status, description } };
}

/** The description of a revision that was left pending in status `was` and is marked as failed. */
export function describeUnlocked(was: ReleaseStatus): string {
  return `Release unlocked from stale '${was}' state`;
}

/**
 * The status before the unlock, from the description above; undefined for any other. Helm has no other field for it.
 */
export function unlockedFrom({ description = '' }: ReleaseInfo): string | undefined {
  return /^Release unlocked from stale '(.*)' state$/.exec(description)?.[1];
}

/** The newest revision. */
export function lastRevision<T extends { readonly version: number }>(revisions: readonly T[]): T | undefined {
  return revisions.reduce<T | undefined>(
    (last, next) => (last && last.version > next.version ? last : next),
    undefined,
  );
}

/**
 * Revisions to delete so that at most `maxHistory` remain; 0 keeps all. As in Helm, the newest and the last deployed
 * one before it are kept: a rollback needs them.
 */
export function revisionsToDelete(revisions: readonly StoredRevision[], maxHistory: number): StoredRevision[] {
  if (maxHistory <= 0) return [];
  const oldestFirst = [...revisions].sort((a, b) => a.version - b.version);
  const excess = oldestFirst.length - maxHistory;
  const deployed = oldestFirst.findLast((revision) => revision.status === 'deployed');
  const kept = [deployed, oldestFirst.at(-1)];
  return oldestFirst.filter((revision) => !kept.includes(revision)).slice(0, Math.max(0, excess));
}
