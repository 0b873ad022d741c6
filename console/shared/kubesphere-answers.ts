import isEmpty from 'lodash/isEmpty.js';
import type { Application } from '#api/v1alpha1/application.js';
import { READY_NUMBER_LABEL, TYPE_LABEL, TYPE_LABEL_MISSPELT, HEALTH_LABEL, SYNC_LABEL } from '#api/v1alpha1/labels.js';
import { backendFor } from '#controllers/application/model/backends/index.js';
import { clusterName } from '#controllers/application/model/child/cluster.js';
import { consoleKey } from '#controllers/application/model/child/messages.js';
import { unknownReady } from '#controllers/application/model/status/console.js';
import { defined, isMap } from '#lib/plain.js';

type Config = NonNullable<Application['spec']['fluxApp']>['spec']['config'];
type Entries = NonNullable<Config['helmRelease']>['deploy'] | NonNullable<Config['kustomization']>;

function keysOf(entries: Entries = []): string[] {
  return entries.map(({ destination }) =>
    consoleKey(clusterName(destination?.kubeConfig), destination?.targetNamespace),
  );
}

function hasCondition(shown: unknown): boolean {
  return isMap(shown) && Array.isArray(shown['conditions']) && isMap(shown['conditions'][0]);
}

/** The states with `unknown` for those of `keys` that are missing; undefined: none is. */
function completed(known: Readonly<Record<string, unknown>> = {}, keys: readonly string[], unknown: object) {
  const missing = keys.filter((key) => !Object.hasOwn(known, key) || !hasCondition(known[key]));
  if (missing.length === 0) return undefined;
  return Object.fromEntries([...Object.entries(known), ...missing.map((key) => [key, unknown] as const)]);
}

/**
 * The Application as a row of the list reads it, which breaks without the number of ready destinations: before the
 * controller has written any.
 */
export function consoleRow(application: Application): Application {
  const { spec, metadata } = application;
  if (spec.fluxApp === undefined || metadata.labels?.[READY_NUMBER_LABEL] !== undefined) return application;
  const { kind } = backendFor(application);
  const { helmRelease, kustomization } = spec.fluxApp.spec.config;
  const entries = helmRelease?.deploy ?? kustomization ?? [];
  const shown = { [TYPE_LABEL]: kind, [TYPE_LABEL_MISSPELT]: kind, [READY_NUMBER_LABEL]: `0-${entries.length}` };
  return { ...application, metadata: { ...metadata, labels: { ...shown, ...metadata.labels } } };
}

/**
 * The Application as the page of one reads it, which breaks without a condition of each destination: before the
 * controller has written any, and where there are more than the status has room for.
 */
export function consoleDetail(application: Application): Application {
  const { spec, status, metadata } = application;
  const { helmRelease, kustomization } = spec.fluxApp?.spec.config ?? {};
  const { fluxApp = {} } = status ?? {};
  const unknown = { conditions: [unknownReady(metadata.creationTimestamp ?? '', fluxApp.omitted)] };
  const added = defined({
    helmReleaseStatus: completed(fluxApp.helmReleaseStatus, keysOf(helmRelease?.deploy), unknown),
    kustomizationStatus: completed(fluxApp.kustomizationStatus, keysOf(kustomization), unknown),
  });
  return isEmpty(added) ? application : { ...application, status: { ...status, fluxApp: { ...fluxApp, ...added } } };
}

/** Words of Argo CD, which the labels of Applications have. */
const HEALTH = ['Unknown', 'Progressing', 'Healthy', 'Suspended', 'Degraded', 'Missing'];
const SYNC = ['Unknown', 'Synced', 'OutOfSync'];

export interface Summary {
  readonly total: number;
  readonly healthStatus: Readonly<Record<string, number>>;
  readonly syncStatus: Readonly<Record<string, number>>;
}

/** How many have each word; what is no such word, or missing, is Unknown, so that the counts add up to the total. */
function counted(
  applications: readonly Application[],
  label: string,
  words: readonly string[],
): Record<string, number> {
  const counts = new Map(words.map((word) => [word, 0]));
  for (const { metadata } of applications) {
    const word = metadata.labels?.[label] ?? '';
    const known = counts.has(word) ? word : 'Unknown';
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

export function summaryOf(applications: readonly Application[]): Summary {
  return {
    total: applications.length,
    healthStatus: counted(applications, HEALTH_LABEL, HEALTH),
    syncStatus: counted(applications, SYNC_LABEL, SYNC),
  };
}
