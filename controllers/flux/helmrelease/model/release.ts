import type { Hook } from './manifest.js';

/** Helm's own words for the state of one revision. */
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

/** `Chart.yaml`; fields that no rule reads are carried along. */
export interface ChartMetadata {
  name: string;
  version: string;
  appVersion?: string;
  [field: string]: unknown;
}

/** The chart as Helm stores it in a release; subcharts are not part of it. */
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
  /** The revision that a rollback went back to. */
  rollback_revision?: number;
}

/** One revision exactly as Helm's storage holds it, so field names are Helm's. */
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

/** One revision as the labels of its Secret tell it: enough to decide, without unpacking it. */
export interface StoredRevision {
  readonly version: number;
  readonly status: ReleaseStatus;
  readonly secretName: string;
  readonly resourceVersion: string;
  /** `namespace/name` of the HelmRelease that wrote it; undefined when helm did. */
  readonly origin: string | undefined;
  /** True when an engine wrote it and nobody else, helm by hand for one, which keeps the labels of its origin. */
  readonly untouched: boolean;
}

/** Labels that Helm keeps for itself in storage. */
const SYSTEM_LABELS: ReadonlySet<string> = new Set(['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt']);

/** Name of the Secret of one revision. */
export function storageSecretName(releaseName: string, version: number): string {
  return `sh.helm.release.v1.${releaseName}.v${version}`;
}

/** Labels of the Secret of a revision: Helm's own over `custom` ones; `modifiedAt` is epoch seconds. */
export function storageLabels(
  record: Pick<ReleaseRecord, 'name' | 'version' | 'info'>,
  custom: Readonly<Record<string, string>>,
  nowMs: number,
): Record<string, string> {
  const kept = Object.entries(custom).filter(([key]) => !SYSTEM_LABELS.has(key));
  return {
    ...Object.fromEntries(kept),
    modifiedAt: String(Math.floor(nowMs / 1000)),
    name: record.name,
    owner: 'helm',
    status: record.info.status,
    version: String(record.version),
  };
}

/** True while an action was under way when the record was written. */
export function isPending(status: ReleaseStatus): boolean {
  return status.startsWith('pending-') || status === 'uninstalling';
}

/** The same revision with another status and description; the argument is not changed. */
export function withStatus(record: ReleaseRecord, status: ReleaseStatus, description: string): ReleaseRecord {
  return { ...record, info: { ...record.info, status, description } };
}

/** What a revision is described with that was left pending in status `was` and is marked as failed. */
export function describeUnlocked(was: ReleaseStatus): string {
  return `Release unlocked from stale '${was}' state`;
}

/** The status that a revision was left in, by the description above; undefined for any other. */
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
 * Revisions to forget so that at most `maxHistory` remain; 0 keeps all. As in Helm, neither the newest, which the action
 * has just made, nor the last one that was deployed before it is among them: that is what a rollback needs.
 */
export function revisionsToForget(revisions: readonly StoredRevision[], maxHistory: number): StoredRevision[] {
  if (maxHistory <= 0) return [];
  const oldestFirst = [...revisions].sort((a, b) => a.version - b.version);
  const excess = oldestFirst.length - maxHistory;
  const deployed = oldestFirst.findLast((revision) => revision.status === 'deployed');
  const kept = [deployed, oldestFirst.at(-1)];
  return oldestFirst.filter((revision) => !kept.includes(revision)).slice(0, Math.max(0, excess));
}
