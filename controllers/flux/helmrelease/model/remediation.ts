/** The part of `spec.install.remediation` and `spec.upgrade.remediation` that decides. */
export interface RemediationSpec {
  readonly retries?: number | undefined;
  readonly ignoreTestFailures?: boolean | undefined;
  readonly remediateLastFailure?: boolean | undefined;
  readonly strategy?: string | undefined;
}

export interface ActionSpec {
  readonly remediation?: RemediationSpec | undefined;
  readonly strategy?: { readonly name?: string | undefined; readonly retryInterval?: string | undefined } | undefined;
}

/** What to do about a failed action of one kind. */
export interface Remediation {
  readonly action: 'install' | 'upgrade';
  /** Attempts that changed Helm's storage and failed. */
  readonly failures: number;
  /** Below 0: without end. */
  readonly retries: number;
  readonly strategy: 'rollback' | 'uninstall';
  readonly remediateLastFailure: boolean;
  readonly ignoreTestFailures: boolean;
  /** `RetryOnFailure`: never remediate, try again after `retryInterval`. */
  readonly retryOnFailure: boolean;
  readonly retryInterval: string | undefined;
}

export interface RemediationInput {
  readonly spec: {
    readonly install?: ActionSpec | undefined;
    readonly upgrade?: ActionSpec | undefined;
    readonly test?: { readonly ignoreFailures?: boolean | undefined } | undefined;
  };
  readonly status: {
    readonly installFailures?: number | undefined;
    readonly upgradeFailures?: number | undefined;
    readonly lastAttemptedReleaseAction?: string | undefined;
  };
}

/** The remediation of installs: always by uninstall. Defaults as in Flux. */
export function installRemediation({ spec, status }: RemediationInput): Remediation {
  const remediation = spec.install?.remediation ?? {};
  return {
    action: 'install',
    failures: status.installFailures ?? 0,
    retries: remediation.retries ?? 0,
    strategy: 'uninstall',
    remediateLastFailure: remediation.remediateLastFailure ?? false,
    ignoreTestFailures: remediation.ignoreTestFailures ?? spec.test?.ignoreFailures ?? false,
    retryOnFailure: spec.install?.strategy?.name === 'RetryOnFailure',
    retryInterval: spec.install?.strategy?.retryInterval,
  };
}

/** The remediation of upgrades. `remediateLastFailure` defaults to true as soon as there are retries. */
export function upgradeRemediation({ spec, status }: RemediationInput): Remediation {
  const remediation = spec.upgrade?.remediation ?? {};
  const retries = remediation.retries ?? 0;
  return {
    action: 'upgrade',
    failures: status.upgradeFailures ?? 0,
    retries,
    strategy: remediation.strategy === 'uninstall' ? 'uninstall' : 'rollback',
    remediateLastFailure: remediation.remediateLastFailure ?? retries > 0,
    ignoreTestFailures: remediation.ignoreTestFailures ?? spec.test?.ignoreFailures ?? false,
    retryOnFailure: spec.upgrade?.strategy?.name === 'RetryOnFailure',
    retryInterval: spec.upgrade?.strategy?.retryInterval,
  };
}

/** The remediation of the last action that was tried; undefined before the first. */
export function activeRemediation(input: RemediationInput): Remediation | undefined {
  const action = input.status.lastAttemptedReleaseAction;
  if (action === 'install') return installRemediation(input);
  return action === 'upgrade' ? upgradeRemediation(input) : undefined;
}

/** True when no attempt is left. */
export function isExhausted(remediation: Remediation): boolean {
  return remediation.retries >= 0 && remediation.failures > remediation.retries;
}
