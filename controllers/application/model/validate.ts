import type { Application } from '../../../api/v1alpha1/application.js';
import type { ApplicationReason } from '../../../api/v1alpha1/conditions.js';
import { isVersionRange } from '../../runtime/pure/version-range.js';
import { childKindOf, configOf, helmReleaseOf, kustomizationOf, sourceOf } from './flux-spec.js';
import { ENTRIES_PATH } from './entries.js';
import type { Violation } from './types.js';

/** What the checks need to know beside the Application. */
export interface Rules {
  /** May a source be in another namespace than the Application? */
  readonly allowCrossNamespace: boolean;
  /** The only namespace that the caches hold; undefined: they hold all. */
  readonly watchedNamespace?: string | undefined;
}

type Check = (application: Application, rules: Rules) => Violation | undefined;

const CONFIG = 'spec.fluxApp.spec.config';
const CHART = `${CONFIG}.helmRelease.chart`;
const SOURCE = 'spec.fluxApp.spec.source';

function violation(reason: ApplicationReason, message: string): Violation {
  return { reason, message };
}

/** The engine that the Application asks for; undefined when it cannot be told. */
export function kindOf(application: Application): 'fluxcd' | 'argocd' | undefined {
  const { kind, fluxApp, argoApp } = application.spec;
  if (kind !== undefined) return kind;
  if ((fluxApp === undefined) === (argoApp === undefined)) return undefined;
  return fluxApp === undefined ? 'argocd' : 'fluxcd';
}

/** The engine that holds an Application: what its status remembers wins over what its spec says now. */
export function engineOf(application: Application): 'fluxcd' | 'argocd' | undefined {
  return application.status?.kind ?? kindOf(application);
}

function kindIsUnclear(application: Application): Violation | undefined {
  if (kindOf(application) !== undefined) return undefined;
  const both = application.spec.fluxApp !== undefined;
  const found = both ? 'both spec.fluxApp and spec.argoApp are set' : 'neither spec.fluxApp nor spec.argoApp is set';
  return violation('KindUnclear', `spec.kind is missing and ${found}: set spec.kind, or exactly one of the two`);
}

function kindWasChanged(application: Application): Violation | undefined {
  const kind = kindOf(application);
  const before = application.status?.kind;
  if (before === undefined || kind === undefined || before === kind) return undefined;
  const message = `spec.kind was ${before} and is now ${kind}: change it back, or create another Application for ${kind}`;
  return violation('KindChanged', message);
}

function engineIsMissing(application: Application): Violation | undefined {
  if (kindOf(application) !== 'argocd') return undefined;
  return violation(
    'EngineNotAvailable',
    'spec.kind: this controller has no engine for argocd yet and does not reconcile the Application; use fluxcd',
  );
}

function fluxAppIsMissing(application: Application): Violation | undefined {
  if (application.spec.fluxApp !== undefined) return undefined;
  return violation('ConfigMissing', 'spec.fluxApp is missing: an Application of kind fluxcd needs it');
}

function configIsNotOne(application: Application): Violation | undefined {
  const config = configOf(application);
  const helm = config?.helmRelease !== undefined;
  const kustomize = config?.kustomization !== undefined;
  if (helm && kustomize) {
    return violation('ConfigAmbiguous', `${CONFIG} has both helmRelease and kustomization: remove one of them`);
  }
  return helm || kustomize
    ? undefined
    : violation('ConfigMissing', `${CONFIG} has neither helmRelease nor kustomization: set one of them`);
}

function sourceHasNoFiles(application: Application): Violation | undefined {
  if (childKindOf(application) !== 'Kustomization' || sourceOf(application)?.kind !== 'HelmRepository')
    return undefined;
  return violation(
    'SourceUnsuitable',
    `${SOURCE}.sourceRef.kind: a HelmRepository has charts, but no files for ${CONFIG}.kustomization; use a GitRepository, OCIRepository or Bucket`,
  );
}

function chartAndTemplateAreNotOne(application: Application): Violation | undefined {
  const release = helmReleaseOf(application);
  if (release === undefined) return undefined;
  const chart = release.chart !== undefined;
  const template = release.template !== undefined;
  if (chart && template) {
    const message = `${CONFIG}.helmRelease has both chart and template: remove one of them`;
    return violation('ChartAndTemplate', message);
  }
  if (chart || template) return undefined;
  return violation('ChartMissing', `${CONFIG}.helmRelease has neither chart nor template: set one of them`);
}

/** A template brings its own source. */
function usesSource(application: Application): boolean {
  const release = helmReleaseOf(application);
  if (release !== undefined) return release.template === undefined;
  const entries = kustomizationOf(application) ?? [];
  return entries.length === 0 || entries.some(({ template }) => template === undefined);
}

function sourceIsMissing(application: Application): Violation | undefined {
  if (sourceOf(application) !== undefined || !usesSource(application)) return undefined;
  return violation('SourceMissing', `${SOURCE}.sourceRef is missing: set the source of the chart or files`);
}

function sourceIsElsewhere(application: Application, rules: Rules): Violation | undefined {
  const source = sourceOf(application);
  const own = application.metadata.namespace;
  if (!usesSource(application)) return undefined;
  if (rules.allowCrossNamespace || source?.namespace === undefined || source.namespace === own) return undefined;
  const object = `${source.kind} ${source.namespace}/${source.name}`;
  return violation(
    'AccessDenied',
    `${SOURCE}.sourceRef.namespace: ${object} is in another namespace, which --no-cross-namespace-refs forbids; create a source in ${own ?? 'the same namespace'}`,
  );
}

function versionIsNoRange(application: Application): Violation | undefined {
  const version = helmReleaseOf(application)?.chart?.version;
  const isUsed = sourceOf(application)?.kind === 'HelmRepository';
  if (!isUsed || version === undefined || isVersionRange(version)) return undefined;
  return violation(
    'InvalidVersion',
    `${CHART}.version: "${version}" is neither a valid version nor a valid range; use e.g. "1.2.3", "1.x" or ">=1.2 <2"`,
  );
}

/** The API server would refuse every HelmRelease: only a HelmChart names signers. */
function signersAreNamed(application: Application): Violation | undefined {
  if (helmReleaseOf(application)?.chart?.verify?.matchOIDCIdentity === undefined) return undefined;
  return violation(
    'VerifyUnsupported',
    `${CHART}.verify.matchOIDCIdentity: a HelmRelease has no field for the signers of its chart; remove it, or use an OCIRepository with spec.verify`,
  );
}

function deployIsEmpty(application: Application): Violation | undefined {
  const entries = helmReleaseOf(application)?.deploy ?? kustomizationOf(application) ?? [];
  if (entries.length > 0) return undefined;
  const path = ENTRIES_PATH[childKindOf(application)];
  return violation(
    'DeployEmpty',
    `${path} is empty: add at least one destination, or delete the Application to remove what it installed`,
  );
}

/** In this order: a later check may rely on the earlier ones. */
const CHECKS: readonly Check[] = [
  kindIsUnclear,
  kindWasChanged,
  engineIsMissing,
  fluxAppIsMissing,
  configIsNotOne,
  chartAndTemplateAreNotOne,
  sourceIsMissing,
  sourceHasNoFiles,
  sourceIsElsewhere,
  versionIsNoRange,
  signersAreNamed,
  deployIsEmpty,
];

/** The first thing that is wrong with the Application as a whole; then nothing of it is acted upon. Never throws. */
export function findViolation(application: Application, rules: Rules): Violation | undefined {
  for (const check of CHECKS) {
    const found = check(application, rules);
    if (found !== undefined) return found;
  }
  return undefined;
}
