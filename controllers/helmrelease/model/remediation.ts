/** The fields of `spec.install.remediation` and `spec.upgrade.remediation` that are read. */
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

/** The remediation of failed installs or failed upgrades. */
export interface Remediation {
  readonly action: 'install' | 'upgrade';
  /** Failed attempts that created a revision. */
  readonly failures: number;
  /** Negative: unlimited. */
  readonly retries: number;
  readonly strategy: 'rollback' | 'uninstall';
  readonly remediateLastFailure: boolean;
  readonly ignoreTestFailures: boolean;
  /** `RetryOnFailure`: never remediate, retry after `retryInterval`. */
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

function remediationOf(
  action: 'install' | 'upgrade',
  { spec, status }: RemediationInput,
): Omit<Remediation, 'strategy' | 'remediateLastFailure'> {
  const own = spec[action];
  const { retries = 0, ignoreTestFailures = spec.test?.ignoreFailures } = own?.remediation ?? {};
  const { name, retryInterval } = own?.strategy ?? {};
  return {
    action,
    failures: status[`${action}Failures`] ?? 0,
    retries,
    ignoreTestFailures: ignoreTestFailures === true,
    retryOnFailure: name === 'RetryOnFailure',
    retryInterval,
  };
}

/** The remediation of installs: always by uninstall. Defaults as in Flux. */
export function installRemediation(input: RemediationInput): Remediation {
  const remediateLastFailure = input.spec.install?.remediation?.remediateLastFailure ?? false;
  return { ...remediationOf('install', input), strategy: 'uninstall', remediateLastFailure };
}

/** The remediation of upgrades. `remediateLastFailure` defaults to true as soon as there are retries. */
export function upgradeRemediation(input: RemediationInput): Remediation {
  const base = remediationOf('upgrade', input);
  const remediation = input.spec.upgrade?.remediation;
  const remediateLastFailure = remediation?.remediateLastFailure ?? base.retries > 0;
  return { ...base, strategy: remediation?.strategy === 'uninstall' ? 'uninstall' : 'rollback', remediateLastFailure };
}

/** The remediation of the last attempted action; undefined before the first. */
export function activeRemediation(input: RemediationInput): Remediation | undefined {
  const action = input.status.lastAttemptedReleaseAction;
  if (action === 'install') return installRemediation(input);
  return action === 'upgrade' ? upgradeRemediation(input) : undefined;
}

/** True when no attempt is left. */
export function isExhausted(remediation: Remediation): boolean {
  return remediation.retries >= 0 && remediation.failures > remediation.retries;
}
