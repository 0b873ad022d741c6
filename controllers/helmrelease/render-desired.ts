import type { CommonMetadata } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { Member } from '#engine/member/member.js';
import type { Kube } from '#runtime/client/kube.js';
import { cut } from '#lib/text/text.js';
import { withMetadata } from '#engine/flux/model/manifests.js';
import { dataOf, type SecretTexts } from '#engine/flux/model/secret-texts.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL } from '#api/flux/annotations.js';
import type { ActionContext, Desired } from './actions/context.js';
import type { RenderedChart } from './model/manifest.js';
import { kustomizers } from './model/post-render.js';
import { lastRevision } from './model/release.js';
import { hidesValues } from './model/secret-values.js';
import { reuseValues, type Reused } from './model/values.js';
import type { ReleaseStorage, StoredRecord } from './storage.js';
import { actionTimeoutMs } from './model/timing.js';
import type { HelmRelease } from './model/types.js';
import { withArchive } from './inputs.js';
import type { Step } from './prepare.js';
import { readRenderedInWorker } from './read-rendered.js';

/** What an action is rendered for. */
export interface RenderStep
  extends
    Pick<Step, 'release' | 'inputs' | 'observedRevision' | 'signal' | 'offload' | 'store'>,
    Pick<Step, 'chartCrds' | 'render' | 'postRender' | 'secrets'> {
  readonly context: Pick<ActionContext, 'releaseName' | 'namespace' | 'signal'> & {
    readonly storage: Pick<ReleaseStorage, 'revisions' | 'read'>;
    readonly member: Pick<Member, 'capabilities'> & {
      /** Undefined: no cluster, and `lookup` finds nothing. */
      readonly kube: Pick<Kube, 'read'> | undefined;
    };
  };
}

/** What is known of a chart before its templates are rendered. */
export interface PreparedChart extends Reused {
  /** The CRDs in crds/ of the chart and its enabled subcharts. */
  readonly crds: readonly Unstructured[];
}

function originOf({ metadata }: HelmRelease): CommonMetadata {
  return { labels: { [ORIGIN_NAME_LABEL]: metadata.name, [ORIGIN_NAMESPACE_LABEL]: metadata.namespace ?? '' } };
}

const MAX_PROBLEM_LENGTH = 2_000;
/** Characters of Secrets, of a chart that may list all of a cluster. */
const MOST_LOOKED_UP = 4 * 1024 * 1024;
/** kustomize prints parts of manifests as it likes, e.g. folded. */
const WITHHELD =
  'why is withheld, because it may quote values from Secrets: render the chart with other values, and build that with ' +
  'kustomize and the patches of spec.postRenderers';

/** helm, schemas and templates quote values. */
function shown({ secrets }: Pick<RenderStep, 'secrets'>, { problem }: { readonly problem: string }) {
  return { problem: cut(secrets.mask(problem), MAX_PROBLEM_LENGTH) };
}

/** The same cluster; the Secrets that a chart looks up are not shown from then on. */
function watched(kube: Pick<Kube, 'read'>, secrets: SecretTexts): Pick<Kube, 'read'> {
  const looked = new Set<string>();
  let length = 0;
  secrets.add('lookup', () => ({ doubtful: [...looked], areMore: length > MOST_LOOKED_UP }));
  return {
    async read(path, options) {
      const body = await kube.read(path, options);
      for (const text of dataOf(body)) {
        length += text.length;
        if (length <= MOST_LOOKED_UP) looked.add(text);
      }
      return body;
    },
  };
}

/** The chart, its values and its CRDs, or why helm rejects them. Other kinds in crds/ are omitted, as in Flux. */
export async function prepareChart(
  step: RenderStep,
  isUpgrade: boolean,
): Promise<PreparedChart | { readonly problem: string }> {
  const { release, context, inputs } = step;
  const reused = await valuesOf(step, isUpgrade);
  const result = await withArchive(step, inputs.artifact, (chartPath) =>
    step.chartCrds({
      chartPath,
      chartDigest: inputs.artifact.digest,
      chart: inputs.chart,
      tenant: release.metadata.namespace ?? '',
      traits: inputs.traits,
      values: reused.given,
      kubeVersion: async () => (await context.member.capabilities({ signal: context.signal })).kubeVersion,
      signal: context.signal,
    }),
  );
  if ('problem' in result) return shown(step, result);
  const crds = result.crds.filter(({ kind }) => kind === 'CustomResourceDefinition');
  return { ...reused, crds: crds.map((crd) => withMetadata(crd, originOf(release))) };
}

/** The chart rendered for this cluster, or why helm rejects it. */
export async function renderDesired(
  step: RenderStep,
  isUpgrade: boolean,
  { chart, config, given, crds }: PreparedChart,
): Promise<Desired | { readonly problem: string }> {
  const { release, context, inputs } = step;
  const spec = isUpgrade ? release.spec.upgrade : release.spec.install;
  const capabilities = await context.member.capabilities({ signal: context.signal });
  const result = await withArchive(step, inputs.artifact, (chartPath) =>
    step.render({
      chartPath,
      chartDigest: inputs.artifact.digest,
      chartVersion: inputs.ociDigest === undefined ? undefined : inputs.chart.metadata.version,
      traits: inputs.traits,
      releaseName: context.releaseName,
      namespace: context.namespace,
      values: given,
      capabilities,
      isUpgrade,
      revision: step.observedRevision + 1,
      cluster: context.member.kube && watched(context.member.kube, step.secrets),
      skipSchemaValidation: spec?.disableSchemaValidation === true,
      timeoutMs: actionTimeoutMs(release.spec, isUpgrade ? 'upgrade' : 'install'),
      signal: context.signal,
    }),
  );
  if ('problem' in result) return shown(step, result);
  const layers = [...(release.spec.commonMetadata ? [release.spec.commonMetadata] : []), originOf(release)];
  const rendered = await postRendered(step, result.output, layers);
  return 'problem' in rendered ? rendered : { chart, values: config, crds, rendered };
}

/** The spec's values; with `preserveValues` on top of those of the current release. */
export async function valuesOf(
  { release, context, inputs }: Pick<RenderStep, 'release' | 'context' | 'inputs'>,
  isUpgrade: boolean,
): Promise<Reused> {
  const { chart, values } = inputs;
  const current =
    isUpgrade && release.spec.upgrade?.preserveValues === true ? await readCurrent(context.storage) : undefined;
  return current === undefined ? { chart, config: values, given: values } : reuseValues(current.record, values, chart);
}

/** The deployed revision, else the newest. */
async function readCurrent(storage: RenderStep['context']['storage']): Promise<StoredRecord | undefined> {
  const revisions = await storage.revisions();
  const current = lastRevision(revisions.filter(({ status }) => status === 'deployed')) ?? lastRevision(revisions);
  return current === undefined ? undefined : storage.read(current.version);
}

/** Post renderers run before the labels of the release are set, which therefore win. */
async function postRendered(
  step: RenderStep,
  output: string,
  layers: readonly CommonMetadata[],
): Promise<RenderedChart | { readonly problem: string }> {
  const { offload, postRender, inputs, signal } = step;
  const { spec, metadata } = step.release;
  const hides = hidesValues(spec, inputs.traits);
  const read = (text: string, over: readonly CommonMetadata[]): ReturnType<typeof readRenderedInWorker> =>
    readRenderedInWorker(offload, { output: text, layers: over, hides }, metadata.namespace ?? '');
  if (kustomizers(spec).length === 0) return read(output, layers);
  const chart = await read(output, []);
  if ('problem' in chart) return chart;
  const result = await postRender(chart, spec, signal);
  if ('problem' in result) return hides ? { problem: `post renderer: ${WITHHELD}` } : result;
  const rendered = await read(result.output, layers);
  return 'problem' in rendered ? rendered : { ...rendered, notes: chart.notes };
}
