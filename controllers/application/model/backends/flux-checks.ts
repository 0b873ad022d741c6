import type { Application } from '#api/v1alpha1/application.js';
import { configOf, inlineOf, sourceOf, statedSpecOf } from '../flux-spec.js';
import { inlineProblem } from '../inline-problem.js';
import type { ApplicationCheck } from '../verdicts.js';

export const SPEC_PATH = 'spec.fluxApp.spec';
export const CONFIG_PATH = `${SPEC_PATH}.config`;
export const SOURCE_PATH = `${SPEC_PATH}.source`;
export const INLINE_PATH = `${SOURCE_PATH}.inline`;

const fluxAppIsMissing: ApplicationCheck = (application) => {
  if (application.spec.fluxApp !== undefined) return undefined;
  return { reason: 'ConfigMissing', message: 'spec.fluxApp is missing: an Application of kind fluxcd needs it' };
};

const configIsNotOne: ApplicationCheck = (application) => {
  const config = configOf(application);
  const helm = config?.helmRelease !== undefined;
  const kustomize = config?.kustomization !== undefined;
  if (helm && kustomize) {
    const message = `${CONFIG_PATH} has both helmRelease and kustomization: remove one of them`;
    return { reason: 'ConfigAmbiguous', message };
  }
  if (helm || kustomize) return undefined;
  const message = `${CONFIG_PATH} has neither helmRelease nor kustomization: set one of them`;
  return { reason: 'ConfigMissing', message };
};

/** It names a source and its chart: nothing else may. */
const inlineIsNotAlone: ApplicationCheck = (application) => {
  const { source, config } = statedSpecOf(application) ?? {};
  const { chart, template } = config?.helmRelease ?? {};
  if (source?.inline === undefined) return undefined;
  const others = [
    ...(source.sourceRef === undefined ? [] : [`${SOURCE_PATH}.sourceRef`]),
    ...(chart === undefined ? [] : [`${CONFIG_PATH}.helmRelease.chart`]),
    ...(template === undefined ? [] : [`${CONFIG_PATH}.helmRelease.template`]),
  ];
  if (others.length === 0) return undefined;
  const message = `${INLINE_PATH} has source and chart, so ${others.join(' and ')} cannot be set as well: keep one of them`;
  return { reason: 'SourceAmbiguous', message };
};

const inlineHasNoFiles: ApplicationCheck = (application) => {
  if (inlineOf(application) === undefined || statedSpecOf(application)?.config.helmRelease !== undefined)
    return undefined;
  const message = `${INLINE_PATH} is a Helm chart, without files for ${CONFIG_PATH}.kustomization: use sourceRef, or config.helmRelease`;
  return { reason: 'SourceUnsuitable', message };
};

const inlineIsInvalid: ApplicationCheck = (application) => {
  const inline = inlineOf(application);
  return inline === undefined ? undefined : inlineProblem(inline, INLINE_PATH);
};

/** The first checks of every Application for Flux. */
export const FORM_CHECKS: readonly ApplicationCheck[] = [
  fluxAppIsMissing,
  configIsNotOne,
  inlineIsNotAlone,
  inlineHasNoFiles,
  inlineIsInvalid,
];

/** A template brings its own source. */
type UsesSource = (application: Application) => boolean;

export function sourceIsMissing(usesSource: UsesSource): ApplicationCheck {
  return (application) => {
    if (sourceOf(application) !== undefined || !usesSource(application)) return undefined;
    const message = `${SOURCE_PATH}.sourceRef is missing: set the source of the chart or files, or inline`;
    return { reason: 'SourceMissing', message };
  };
}

export function sourceIsElsewhere(usesSource: UsesSource): ApplicationCheck {
  return (application, { allowCrossNamespace }) => {
    const source = sourceOf(application);
    const own = application.metadata.namespace;
    if (!usesSource(application)) return undefined;
    if (allowCrossNamespace || source?.namespace === undefined || source.namespace === own) return undefined;
    const object = `${source.kind} ${source.namespace}/${source.name}`;
    const message = `${SOURCE_PATH}.sourceRef.namespace: ${object} is in another namespace, which --no-cross-namespace-refs forbids; create a source in ${own ?? 'the same namespace'}`;
    return { reason: 'AccessDenied', message };
  };
}
