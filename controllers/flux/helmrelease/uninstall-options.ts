import type { Propagation } from '../shared/delete-objects.js';
import type { UninstallOptions } from './actions/uninstall.js';
import { actionTimeoutMs } from './model/timing.js';
import type { HelmReleaseSpec } from './model/types.js';

const PROPAGATION: Readonly<Record<string, Propagation>> = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
};

/** How `spec.uninstall` wants a release to go. */
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
