import { helmReleaseResource, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Cache, PassContext } from '#runtime/controller.js';
import { timestamp } from '#lib/kube/conditions.js';
import type { KindWriter } from '#engine/flux/finalizers.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { KeptStatus } from '#engine/flux/write-status.js';
import { printJson } from '#lib/json/lossless-json.js';
import type { ApplyingDeps } from '#engine/flux/deps.js';
import type { FirstMissed } from './model/missing.js';
import { FIELD_MANAGER } from './model/ownership.js';
import type { StatusContext } from './model/status.js';
import type { ChartSource, FetchChart, HelmChart, HelmRelease } from './model/types.js';
import type { Renderers } from './renderers.js';
import type { KindsFor } from '#api/flux/source-kinds.js';

/** The services that every reconciliation of a HelmRelease needs. */
export interface Deps extends ApplyingDeps, Renderers {
  readonly releases: Cache<HelmRelease>;
  readonly charts: Cache<HelmChart>;
  /** Everything that a chartRef may name, by kind. */
  readonly chartSources: Readonly<Record<KindsFor<'chartRefs'>, Cache<ChartSource>>>;
  readonly fetchChart: FetchChart;
  readonly firstMissed: FirstMissed;
}

/** One reconciliation: the deps, and what belongs to it alone. */
export interface Pass extends Deps, PassContext {
  readonly release: HelmRelease;
  readonly status: KeptStatus<HelmReleaseStatus>;
  readonly secrets: SecretTexts;
}

/** How HelmReleases are written. */
export function writerOf({ kube }: Pick<Deps, 'kube'>): KindWriter {
  return { kube, type: helmReleaseResource, fieldManager: FIELD_MANAGER };
}

/** The texts that a status may show of a release, before its values are read. */
export function secretsOf({ metadata, spec }: HelmRelease): SecretTexts {
  const secrets = new SecretTexts();
  secrets.add('release', () => ({ public: [printJson(spec), metadata.name, metadata.namespace ?? ''] }));
  return secrets;
}

/** The reconciliation of a release as it was read, with its status. */
export function passOver(release: HelmRelease, deps: Deps, context: PassContext): Pass {
  const status = new KeptStatus<HelmReleaseStatus>({ ...writerOf(deps), object: release }, release.status ?? {});
  return { ...deps, ...context, release, status, secrets: secretsOf(release) };
}

/** The moment of a condition: a reconciliation may take minutes, and each transition has its own time. */
export function momentOf({ now, release: { metadata, spec } }: Pick<Pass, 'now' | 'release'>): StatusContext {
  const testsEnabled = spec.test?.enable === true;
  return {
    generation: metadata.generation ?? 0,
    now: timestamp(now()),
    testsEnabled,
    testsCount: testsEnabled && spec.test?.ignoreFailures !== true,
  };
}
