import { LostArtifactError } from '../../engine/artifact/lost-artifact.js';
import { NO_RULES, type HealthRules } from '../../engine/health/expressions.js';
import { ControllerError, TerminalError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { FIELD_MANAGER, type ActionContext } from './actions/context.js';
import { readChartAside, type ChartArchive } from './chart-archive.js';
import { requireArtifact } from './helm-chart.js';
import type { Deps } from './deps.js';
import type { ChartTraits } from './model/chart-traits.js';
import type { ChartArtifact } from './model/helm-chart.js';
import type { ChartRecord, StoredRevision } from './model/release.js';
import type { ReleaseTarget } from './model/target.js';
import type { HelmChart, HelmRelease } from './model/types.js';
import { createReleaseStorage } from './storage.js';
import { readValues } from './values-sources.js';

/** What a release is made of, all read: nothing below this line asks for it again. */
export interface Inputs {
  readonly artifact: ChartArtifact;
  readonly chart: ChartRecord;
  readonly traits: ChartTraits;
  readonly values: Record<string, unknown>;
  readonly configDigest: string;
}

/**
 * Does work on the archive of a chart, given its absolute path. Throws LostArtifactError when the store has lost it, be
 * it while the work went on.
 */
export async function withArchive<T>(
  deps: Deps,
  artifact: ChartArtifact,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const lost = (): LostArtifactError => new LostArtifactError(`chart artifact ${artifact.path} (${artifact.revision})`);
  const path = await deps.store.locate(artifact);
  if (path === undefined) throw lost();
  try {
    return await work(path);
  } catch (error: unknown) {
    if (error instanceof ControllerError || (await deps.store.locate(artifact)) !== undefined) throw error;
    throw lost();
  }
}

async function readChart(deps: Deps, artifact: ChartArtifact, tenant: string): Promise<ChartArchive> {
  const known = deps.chartArchives.get(artifact.digest);
  if (known !== undefined) return known;
  const archive = await withArchive(deps, artifact, (path) => readChartAside(deps.offload, path, tenant));
  deps.chartArchives.set(artifact.digest, archive);
  return archive;
}

/** Gathers chart and values. Throws WaitingError `SourceNotReady` | `ValuesError`, LostArtifactError. */
export async function observeInputs(
  deps: Deps,
  release: HelmRelease,
  chart: HelmChart,
  signal: AbortSignal,
): Promise<Inputs> {
  const artifact = requireArtifact(deps, chart);
  // First what is local: a wait for the artifact costs the API server nothing.
  const { record, traits } = await readChart(deps, artifact, release.metadata.namespace ?? '');
  const { values, configDigest } = await readValues(deps, release, signal);
  return {
    artifact,
    chart: record,
    traits,
    values,
    configDigest,
  };
}

/** What actions on a release at `target` use. */
export function actionContext(
  deps: Deps,
  release: HelmRelease,
  at: Pick<ActionContext, 'member' | 'signal' | 'log'> & {
    readonly target: ReleaseTarget;
    readonly healthRules?: HealthRules;
  },
): ActionContext {
  const { member, target, signal, log } = at;
  const { name, namespace = '' } = release.metadata;
  const storage = createReleaseStorage({
    kube: member.kube,
    namespace: target.storageNamespace,
    releaseName: target.releaseName,
    origin: { name, namespace },
    signal,
    now: deps.now,
  });
  const { releaseName, namespace: targetNamespace } = target;
  return {
    ...{ member, fieldManager: FIELD_MANAGER, namespace: targetNamespace, signal },
    ...{ storage, releaseName, healthRules: at.healthRules ?? NO_RULES },
    ...{ log, now: deps.now, offload: deps.offload, tenant: namespace },
  };
}

/** Throws TerminalError `StateError` when another HelmRelease made the release: two owners would undo each other. */
export function refuseForeignRelease(
  release: HelmRelease,
  releaseName: string,
  last: StoredRevision | undefined,
): void {
  const own = keyOf(release.metadata);
  if (last?.origin === undefined || last.origin === own || last.status === 'uninstalled') return;
  throw new TerminalError(
    'StateError',
    `release ${releaseName} belongs to HelmRelease ${last.origin}: ` +
      `set another spec.releaseName, or delete that HelmRelease first`,
  );
}
