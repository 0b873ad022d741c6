import type { Ignored } from '#engine/drift/compare-object.js';
import { compileIgnoreRules } from '#engine/flux/ignore-rules.js';
import { healthRulesOf, type HealthRules } from '#engine/health/expressions.js';
import { TerminalError, type Violation } from '#lib/errors.js';
import { requireDependencies } from '#engine/flux/dependencies.js';
import { CONFIG_MAP_REF, clusterOf } from '#engine/flux/model/cluster.js';
import { optsOut, looksForDrift } from './model/drift.js';
import type { HelmReleaseSpec, HelmRelease } from './model/types.js';
import { namespaceWish } from './model/namespace.js';
import type { Pass } from './pass.js';

/** The rules of `spec.driftDetection.ignore`, compiled. Throws TerminalError naming one that cannot be read. */
export function ignoreRules({ driftDetection }: HelmReleaseSpec): Ignored {
  const where = { field: 'spec.driftDetection.ignore', reason: 'ReconcileError' };
  const pathsOf = compileIgnoreRules(driftDetection?.ignore ?? [], where, (paths) => paths);
  return (object) => (optsOut(object.metadata) ? undefined : (pathsOf(object) ?? []));
}

/** Why the spec of a HelmRelease is rejected. */
type Reason = 'ClientSideApplyRefused' | 'FeatureNotSupported' | 'KubeConfigInvalid' | 'ReconcileError';

type Spec = HelmRelease['spec'];

/** `applies`: the field has an unsupported value. `wayOut`: what to do, for the user. */
type Rule = readonly [field: string, applies: (spec: Spec) => boolean, wayOut: string];

const CLIENT_SIDE =
  'this engine only uses server-side apply: remove the field or set it to its default; for a list with one key twice, which it refuses, use spec.postRenderers';

const FORCE =
  'ignored with server-side apply, as in Flux: no object is deleted to change an immutable field; delete it, and the next attempt recreates it';

const RULES: readonly Rule[] = [
  ['spec.install.serverSideApply', (spec) => spec.install?.serverSideApply === false, CLIENT_SIDE],
  ['spec.upgrade.serverSideApply', (spec) => spec.upgrade?.serverSideApply === 'disabled', CLIENT_SIDE],
  ['spec.rollback.serverSideApply', (spec) => spec.rollback?.serverSideApply === 'disabled', CLIENT_SIDE],
  [
    'spec.waitStrategy.name',
    (spec) => spec.waitStrategy?.name === 'legacy',
    'remove the field or set it to poller; for objects that never become ready, set disableWait',
  ],
];

/** @internal What to do about each unsupported field, for the documentation. */
export const UNSUPPORTED: Readonly<Record<string, string>> = Object.fromEntries([
  ...RULES.map(([field, , wayOut]) => [field, wayOut] as const),
  CONFIG_MAP_REF,
]);

/**
 * @internal Fields that are accepted and have no effect, with the same result as in Flux. A field must be rejected,
 * listed here, or read by the engine.
 */
export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  persistentClient:
    'each reconciliation has its own client, and the kinds of new CRDs are known as soon as they are served',
  'install.replace': 'the name of an uninstalled release is always reused, with its next revision',
  'install.disableOpenAPIValidation': 'with server-side apply, the API server always validates the fields',
  'upgrade.disableOpenAPIValidation': 'with server-side apply, the API server always validates the fields',
  'upgrade.force': FORCE,
  'rollback.force': FORCE,
  'rollback.recreate': 'deprecated: it has no effect in Flux either',
};

/** The first violation of a spec: a mistake, or a field that this engine cannot support and must not ignore. */
export function findViolation({ spec }: HelmRelease): Violation<Reason> | undefined {
  if ((spec.chart === undefined) === (spec.chartRef === undefined)) {
    return { reason: 'ReconcileError', message: 'set exactly one of spec.chart and spec.chartRef' };
  }
  const cluster = clusterOf(spec);
  if (cluster.kind === 'unreadable') return { reason: cluster.reason, message: cluster.problem };
  const rule = RULES.find(([, applies]) => applies(spec));
  if (rule === undefined) return undefined;
  const [field, , wayOut] = rule;
  const reason = wayOut === CLIENT_SIDE ? 'ClientSideApplyRefused' : 'FeatureNotSupported';
  return { reason, message: `${field} is not supported by the embedded engine: ${wayOut}` };
}

/** Rules that the spec contains as text, compiled. */
export interface Valid {
  readonly healthRules: HealthRules;
}

/**
 * Throws TerminalError for the first violation of the spec, before anything is done, and WaitingError while a dependency
 * is not ready.
 */
export function validate({ release, releases, settings }: Pass): Valid {
  const violation = findViolation(release);
  if (violation !== undefined) throw new TerminalError(violation.reason, violation.message);
  namespaceWish(release);
  if (looksForDrift(release.spec)) ignoreRules(release.spec);
  const healthRules = healthRulesOf(release.spec.healthCheckExprs ?? []);
  requireDependencies(settings, releases, release);
  return { healthRules };
}
