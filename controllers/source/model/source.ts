import type { Condition, KubeObject, ResourceType } from '#api/meta.js';
import type { Artifact } from '#api/flux/common.js';
import { TerminalError } from '#lib/errors.js';
import { durationOr } from '#lib/duration.js';
import omit from 'lodash/omit.js';
import { SOURCE_RESOURCES, type SourceKind } from '#api/flux/source-kinds.js';

export type { Bucket } from '#api/flux/bucket.js';
export type { GitRepository } from '#api/flux/git-repository.js';
export type { HelmChart } from '#api/flux/helm-chart.js';
export type { HelmRepository } from '#api/flux/helm-repository.js';
export type { OCIRepository } from '#api/flux/oci-repository.js';

/** The kinds that are fetched: others publish ExternalArtifacts. */
export type FetchedKind = Exclude<SourceKind, 'ExternalArtifact'>;

export const SOURCE_TYPES = Object.values<ResourceType>(omit(SOURCE_RESOURCES, 'ExternalArtifact'));

/** The status fields that all sources share; each kind adds its own. */
export interface SourceStatus {
  observedGeneration?: number;
  conditions?: Condition[];
  lastHandledReconcileAt?: string;
  artifact?: Artifact;
  url?: string;
}

/** The fields that all objects of source.toolkit.fluxcd.io share. */
export interface Source extends KubeObject {
  spec: { interval?: string; timeout?: string; suspend?: boolean };
  status?: SourceStatus;
}

/** A part of the API that this engine does not support: reported, never ignored. `wayOut` says what to do instead. */
export function notSupported(what: string, wayOut = 'remove it'): TerminalError {
  const message = `${what} is not supported by the embedded engine: ${wayOut}, or run Flux (--engine=external)`;
  return new TerminalError('FeatureNotSupported', message);
}

/** For a HelmRepository, whose interval is optional, as in Flux. */
const DEFAULT_INTERVAL_MS = 60_000;
/** Sources that were created together are not fetched together. */
const JITTER = 0.05;

/** Milliseconds until a source is fetched again; `random` is in [0, 1). Undefined (never) only for an interval of zero. */
export function nextFetchMs(interval: string | undefined, random: number): number | undefined {
  const intervalMs = durationOr(interval, DEFAULT_INTERVAL_MS);
  return intervalMs === 0 ? undefined : Math.round(intervalMs * (1 + JITTER * random));
}

const DEFAULT_MS = 60_000;
/** A fetch occupies one of the few workers that all tenants share. */
const LONGEST_MS = 600_000;

/** Milliseconds that one fetch of a source may take: its `spec.timeout`, but at most ten minutes. */
export function fetchTimeoutMs(timeout: string | undefined): number {
  return Math.min(durationOr(timeout, DEFAULT_MS), LONGEST_MS);
}

/** The field that sets a limit of `timeoutMs`, for messages; it says so when a longer one would not count. */
export function timeoutField(timeoutMs: number): string {
  return timeoutMs < LONGEST_MS ? 'spec.timeout' : 'spec.timeout, at most 10m';
}
