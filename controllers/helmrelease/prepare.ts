import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { HealthRules } from '#engine/health/expressions.js';
import { newsOf, type Known } from '#engine/flux/model/news.js';
import type { EndedBy } from '#engine/health/wait.js';
import { preparing } from '#engine/flux/model/progress.js';
import { readRequests } from '#engine/flux/model/requests.js';
import { targetCluster } from '#engine/flux/target-cluster.js';
import { report } from '#engine/flux/write-status.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import { actionContext, type ActionContext } from './actions/context.js';
import { type Pass, momentOf } from './pass.js';
import { reconcileHelmChart } from './helm-chart.js';
import { knowInputs, readInputs, type Inputs } from './inputs.js';
import { withAttempt } from './model/status.js';
import type { ChartSource } from './model/types.js';

/** Milliseconds after which a reconciliation that has written nothing reports that it is preparing. */
const SILENCE_MS = 1_000;

/** A reconciliation whose chart, values and target cluster are known. */
export interface ReleasePass extends Pass {
  readonly inputs: Inputs;
  readonly context: ActionContext;
}

/** One action of a reconciliation. */
export interface Step extends ReleasePass {
  /** Newest revision in storage when the action was decided; 0 for none. */
  readonly observedRevision: number;
}

/** Reports a new generation whose chart, values or rendering take long as progressing, in Flux's words. */
export function reportPreparing(pass: Pass, beyond: readonly string[]): void {
  pass.status.sayLater((current) => preparing(current, momentOf(pass), beyond), SILENCE_MS);
}

async function prepareHelmChart(pass: Pass): ReturnType<typeof reconcileHelmChart> {
  const reconciled = await reconcileHelmChart(pass, pass.release, pass.signal);
  const { statusName } = reconciled;
  const status = omit(pass.status.current, 'helmChart');
  report({ status: statusName === undefined ? status : { ...status, helmChart: statusName } }, pass);
  return reconciled;
}

/** Gathers what an action needs: the chart and its artifact, values, the target cluster. */
export async function prepare(pass: Pass, healthRules: HealthRules): Promise<ReleasePass> {
  const { source } = await prepareHelmChart(pass);
  reportPreparing(pass, ['DependencyNotReady', 'SourceNotReady']);
  return prepareWith(source, pass, healthRules);
}

function knownTo({ releases, chartSources, release }: Pass, { kind, metadata }: ChartSource): Known {
  const [, sources] = Object.entries(chartSources).find(([each]) => each === kind) ?? [];
  return { object: releases.get(release.metadata), source: sources?.get(metadata) };
}

/** Like `prepare`, with the chart of this source. Writes nothing. */
export async function prepareWith(source: ChartSource, pass: Pass, healthRules: HealthRules): Promise<ReleasePass> {
  const { release, signal } = pass;
  const inputs = await readInputs(pass, release, source, signal);
  knowInputs(pass.secrets, inputs);
  reportPreparing(pass, ['DependencyNotReady', 'SourceNotReady', 'ValuesError']);
  const member = await targetCluster(pass, release, signal);
  const endedBy: EndedBy = (wait) =>
    newsOf({ object: release, artifact: inputs.artifact }, knownTo(pass, source), wait);
  const target = desiredTarget(release);
  return { ...pass, inputs, context: actionContext(pass, { member, target, healthRules, endedBy }) };
}

/** The status says what the next action is attempted with. A reset that is written counts as handled. */
export function reportAttempt(pass: ReleasePass): void {
  const { release, inputs, status } = pass;
  const { reset, handled } = readRequests(release);
  const attempt = {
    generation: release.metadata.generation ?? 0,
    revision: inputs.chart.metadata.version,
    configDigest: inputs.configDigest,
    ociDigest: inputs.ociDigest,
  };
  const { storageNamespace } = desiredTarget(release);
  const answered = reset ? pick(handled, 'lastHandledResetAt') : {};
  report({ status: { ...withAttempt(status.current, attempt, reset), ...answered, storageNamespace } }, pass);
}
