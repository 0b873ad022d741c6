import type { Propagation } from '#engine/flux/objects.js';
import type { CrdPolicy } from './actions/apply.js';
import type { CommonOptions, InstallOptions, RollbackOptions, UpgradeOptions } from './actions/deploy.js';
import type { UninstallOptions } from './actions/uninstall.js';
import { actionTimeoutMs } from './model/timing.js';
import type { ActionFields, HelmReleaseSpec } from './model/types.js';

const DEFAULT_MAX_HISTORY = 5;

const PROPAGATION: Readonly<Record<string, Propagation>> = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
};

type Decided = Pick<CommonOptions, 'observedRevision'>;

function commonOptions(
  spec: HelmReleaseSpec,
  action: 'install' | 'upgrade' | 'rollback',
  decided: Decided,
): CommonOptions {
  const fields: ActionFields = spec[action] ?? {};
  return {
    ...decided,
    timeoutMs: actionTimeoutMs(spec, action),
    maxHistory: spec.maxHistory ?? DEFAULT_MAX_HISTORY,
    disableHooks: fields.disableHooks === true,
    disableWait: fields.disableWait === true,
    disableWaitForJobs: fields.disableWaitForJobs === true,
  };
}

/** Options of an install, from `spec.install`. */
export function installOptions(spec: HelmReleaseSpec, decided: Decided): InstallOptions {
  return {
    ...commonOptions(spec, 'install', decided),
    createNamespace: spec.install?.createNamespace === true && spec.targetNamespace !== undefined,
    disableTakeOwnership: spec.install?.disableTakeOwnership === true,
  };
}

/** Options of an upgrade, from `spec.upgrade`. */
export function upgradeOptions(spec: HelmReleaseSpec, decided: Decided): UpgradeOptions {
  return {
    ...commonOptions(spec, 'upgrade', decided),
    disableTakeOwnership: spec.upgrade?.disableTakeOwnership === true,
    cleanupOnFail: spec.upgrade?.cleanupOnFail === true,
  };
}

/** Options of a rollback, from `spec.rollback`. */
export function rollbackOptions(
  spec: HelmReleaseSpec,
  { version, created, ...decided }: Decided & Pick<RollbackOptions, 'version' | 'created'>,
): RollbackOptions {
  return {
    ...commonOptions(spec, 'rollback', decided),
    version,
    created,
    cleanupOnFail: spec.rollback?.cleanupOnFail === true,
  };
}

/** Options of an uninstall, from `spec.uninstall`. */
export function uninstallOptions(spec: HelmReleaseSpec): UninstallOptions {
  const { uninstall } = spec;
  return {
    timeoutMs: actionTimeoutMs(spec, 'uninstall'),
    disableHooks: uninstall?.disableHooks === true,
    disableWait: uninstall?.disableWait === true,
    keepHistory: uninstall?.keepHistory === true,
    propagation: PROPAGATION[uninstall?.deletionPropagation ?? ''] ?? 'Background',
  };
}

/** What to do with the chart's CRDs, from `spec.install` or `spec.upgrade`. */
export function crdPolicy(spec: HelmReleaseSpec, action: 'install' | 'upgrade'): CrdPolicy {
  if (action === 'install' && spec.install?.skipCRDs === true) return 'Skip';
  return spec[action]?.crds ?? 'Create';
}
