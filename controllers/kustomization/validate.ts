import type { Unstructured } from '#api/meta.js';
import type { Kustomization, KustomizationSpec } from '#api/flux/kustomization.js';
import { ignoredPaths, type IgnoredPath } from '#engine/drift/model/ignored-paths.js';
import { healthRulesOf, type HealthRules } from '#engine/health/expressions.js';
import { TerminalError, type Violation } from '#lib/errors.js';
import { compileIgnoreRules } from '#engine/flux/ignore-rules.js';
import { CONFIG_MAP_REF, clusterOf } from '#engine/flux/model/cluster.js';
import { foreignExpression, readyExpressions } from '#engine/flux/dependencies.js';
import type { Pass } from './pass.js';

type Rule = readonly [field: string, applies: (spec: KustomizationSpec) => boolean, wayOut: string];

const USE_FLUX = 'run Flux with its kustomize-controller (--engine=external)';

const RULES: readonly Rule[] = [
  [
    'spec.decryption.serviceAccountName',
    ({ decryption }) => decryption?.serviceAccountName !== undefined,
    `use keys of age or PGP in spec.decryption.secretRef, or ${USE_FLUX}`,
  ],
];

/** @internal The way out of each field that is rejected, for the documentation. */
export const UNSUPPORTED: Readonly<Record<string, string>> = Object.fromEntries([
  ...RULES.map(([field, , wayOut]) => [field, wayOut] as const),
  CONFIG_MAP_REF,
]);

/** Each is looked for in each object. */
const MAX_IGNORED = 200;

function ignoreProblem({ ignore = [] }: KustomizationSpec): Violation | undefined {
  const count = ignore.reduce((sum, { paths }) => sum + Math.max(paths.length, 1), 0);
  if (count <= MAX_IGNORED) return undefined;
  const message = `spec.ignore has ${count} paths, and at most ${MAX_IGNORED} are supported: ignore what contains them`;
  return { reason: 'ReconciliationFailed', message };
}

function expressionProblem(kustomization: Kustomization): Violation | undefined {
  try {
    readyExpressions(kustomization);
    return undefined;
  } catch (error: unknown) {
    if (error instanceof TerminalError) return { reason: error.reason, message: error.message };
    throw error;
  }
}

function ruleProblem(kustomization: Kustomization): Violation | undefined {
  return expressionProblem(kustomization) ?? ignoreProblem(kustomization.spec);
}

/** The first thing in a spec that cannot be done, or must not; undefined when there is none. Never throws. */
export function findViolation(
  kustomization: Kustomization,
  { allowCrossNamespace }: { readonly allowCrossNamespace: boolean },
): Violation | undefined {
  const { spec, metadata } = kustomization;
  const cluster = clusterOf(spec);
  if (cluster.kind === 'unreadable') return { reason: cluster.reason, message: cluster.problem };
  const { kind, name, namespace = metadata.namespace } = spec.sourceRef;
  if (!allowCrossNamespace && namespace !== metadata.namespace) {
    const message =
      `can't access '${kind}/${namespace ?? ''}/${name}', cross-namespace references have been blocked ` +
      '(--no-cross-namespace-refs): create the source in the namespace of the Kustomization';
    return { reason: 'AccessDenied', message };
  }
  const forbidden = allowCrossNamespace ? undefined : foreignExpression(kustomization);
  if (forbidden !== undefined) return { reason: 'AccessDenied', message: forbidden };
  const problem = ruleProblem(kustomization);
  if (problem !== undefined) return problem;
  const rule = RULES.find(([, applies]) => applies(spec));
  if (rule === undefined) return undefined;
  const [field, , wayOut] = rule;
  return { reason: 'FeatureNotSupported', message: `${field} is not supported by the embedded engine: ${wayOut}` };
}

/** Rules that the spec contains as text, compiled. */
export interface Valid {
  readonly healthRules: HealthRules;
  readonly ignored: (object: Unstructured) => readonly IgnoredPath[] | undefined;
}

/** Throws TerminalError for the first violation of the spec, before anything is done. */
export function validate({ kustomization, settings }: Pick<Pass, 'kustomization' | 'settings'>): Valid {
  const violation = findViolation(kustomization, settings);
  if (violation !== undefined) throw new TerminalError(violation.reason, violation.message);
  const { healthCheckExprs = [], ignore = [] } = kustomization.spec;
  const where = { field: 'spec.ignore', reason: 'ReconciliationFailed' };
  return {
    healthRules: healthRulesOf(healthCheckExprs),
    ignored: compileIgnoreRules(ignore, where, ignoredPaths),
  };
}
