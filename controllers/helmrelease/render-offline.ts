import uniq from 'lodash/uniq.js';
import { servedKinds } from '#engine/apply/model/crd.js';
import type { Capabilities } from '#engine/member/member.js';
import type { Kube } from '#runtime/client/kube.js';
import { TerminalError } from '#lib/errors.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import { crdPolicy, installOptions } from './action-options.js';
import type { Desired } from './actions/context.js';
import { namespaceOf } from './actions/apply.js';
import { isSkipped, hooksFor } from './actions/hooks.js';
import { knowInputs, readInputsOf } from './inputs.js';
import type { ChartArtifact } from './model/helm-chart.js';
import { splitSources, type HookEvent } from './model/manifest.js';
import type { HelmRelease } from './model/types.js';
import { findViolation } from './validate.js';
import { secretsOf } from './pass.js';
import { prepareChart, renderDesired, type RenderStep } from './render-desired.js';
import { createRenderers, type RenderTools } from './renderers.js';

/** A release, and what takes the place of its clusters. */
export interface OfflineRelease {
  readonly release: HelmRelease;
  /** Its chart, in the store. */
  readonly chart: ChartArtifact;
  /** Has the ConfigMaps and Secrets of its values. */
  readonly kube: Pick<Kube, 'get'>;
  readonly capabilities: Capabilities;
  readonly signal: AbortSignal;
}

/** A document that an installation applies. */
export interface ReleaseDocument {
  readonly text: string;
  /** The file of the chart that it is from, if it is from a template. */
  readonly path?: string;
}

export type RenderRelease = (order: OfflineRelease) => Promise<readonly ReleaseDocument[]>;

const NOTHING_STORED: RenderStep['context']['storage'] = {
  revisions: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
};

function stepOf(
  { release, capabilities, signal }: OfflineRelease,
  parts: Omit<RenderStep, 'release' | 'context' | 'observedRevision' | 'signal' | 'secrets'>,
): RenderStep {
  const { releaseName, namespace } = desiredTarget(release);
  const member = { capabilities: () => Promise.resolve(capabilities), kube: undefined };
  const context = { releaseName, namespace, signal, storage: NOTHING_STORED, member };
  const secrets = secretsOf(release);
  knowInputs(secrets, parts.inputs);
  return { ...parts, secrets, release, context, observedRevision: 0, signal };
}

/** Templates ask for the kinds of the chart's own CRDs, which are served by then. */
function withOwnKinds(
  step: RenderStep,
  { apiVersions, ...capabilities }: Capabilities,
  crds: Desired['crds'],
): RenderStep {
  const own = crds.flatMap(servedKinds).flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`]);
  const known = { ...capabilities, apiVersions: uniq([...apiVersions, ...own]).sort() };
  const member = { ...step.context.member, capabilities: () => Promise.resolve(known) };
  return { ...step, context: { ...step.context, member } };
}

/** What an installation applies, in its order; a hook that runs more than once is there once. */
function documentsOf(step: RenderStep, { crds, rendered }: Desired): ReleaseDocument[] {
  const { spec } = step.release;
  const { createNamespace, disableHooks } = installOptions(spec, step);
  const before = [...crds, ...(createNamespace ? [namespaceOf(step.context)] : [])];
  const hooks = (event: HookEvent) => (disableHooks ? [] : hooksFor(rendered.hooks, event));
  const tests = spec.test?.enable === true ? hooksFor(rendered.hooks, 'test') : [];
  const tested = tests.filter(({ name = '' }) => !isSkipped(name, spec.test?.filters ?? []));
  const pre = hooks('pre-install');
  const post = [...hooks('post-install'), ...tested].filter((hook) => !pre.includes(hook));
  const ofHook = ({ manifest = '', path }: (typeof pre)[number]): ReleaseDocument => ({
    text: manifest,
    ...(path === undefined ? {} : { path }),
  });
  return [
    ...before.map((object) => ({ text: printYaml(object).trimEnd() })),
    ...pre.map(ofHook),
    ...splitSources(rendered.manifest).map(({ path, text }) => ({ path, text: text.trimEnd() })),
    ...uniq(post).map(ofHook),
  ];
}

function refused(problem: string): TerminalError {
  return new TerminalError('InstallFailed', problem);
}

/**
 * Renders what the first installation of a release applies, without its cluster. Throws what ends a reconciliation, and
 * TerminalError `InstallFailed` with what helm or a post renderer rejects.
 */
export function createRenderRelease(tools: RenderTools): RenderRelease {
  const renderers = createRenderers(tools);
  return async (order) => {
    const { release, chart, kube, capabilities, signal } = order;
    const violation = findViolation(release);
    if (violation !== undefined) throw new TerminalError(violation.reason, violation.message);
    const deps = { ...renderers, kube, settings: { dependencyRequeueMs: 0 } };
    const step = stepOf(order, { ...renderers, inputs: await readInputsOf(deps, release, chart, signal) });
    const prepared = await prepareChart(step, false);
    if ('problem' in prepared) throw refused(prepared.problem);
    const crds = crdPolicy(release.spec, 'install') === 'Skip' ? [] : prepared.crds;
    const desired = await renderDesired(withOwnKinds(step, capabilities, crds), false, { ...prepared, crds });
    if ('problem' in desired) throw refused(desired.problem);
    return documentsOf(step, desired);
  };
}
