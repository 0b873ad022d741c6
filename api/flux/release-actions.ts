import { duration, flag, integer, list, object, oneOf, optional, text, type Rule } from '../schema.js';

/** The steps of a Helm release, as HelmRelease and each entry of an Application configure them. */

const timeout = optional(duration('Timeout of each Kubernetes operation. Default: the timeout of the release.'));
const disableHooks = optional(flag('If true, the hooks of the chart do not run. Default: false.'));
const disableWait = optional(flag('If true, does not wait for objects to become ready. Default: false.'));
const disableWaitForJobs = optional(flag('If true, does not wait for Jobs to complete. Default: false.'));
/** The switches of an install and of an upgrade. */
const disableFields = {
  disableHooks,
  disableOpenAPIValidation: optional(
    flag('If true, manifests are not validated against the OpenAPI schema of the cluster. Default: false.'),
  ),
  disableSchemaValidation: optional(
    flag('If true, values are not validated against the schema of the chart. Default: false.'),
  ),
  disableTakeOwnership: optional(flag('If true, existing objects are rejected instead of adopted. Default: false.')),
  disableWait,
  disableWaitForJobs,
};
const crds = optional(
  oneOf('CRDs in the directory `crds` of the chart: Skip, Create (default: only missing ones), or CreateReplace.', [
    'Skip',
    'Create',
    'CreateReplace',
  ]),
);
const serverSideApplyMode = optional(
  oneOf('Server-side apply: enabled, disabled, or auto (default: as for the previous revision).', [
    'enabled',
    'disabled',
    'auto',
  ]),
);

/** In a complete spec; an entry of an Application may leave the name to another layer. */
const RETRY_NEEDS_ITS_STRATEGY: readonly Rule[] = [
  {
    rule: "!has(self.retryInterval) || (has(self.name) && self.name == 'RetryOnFailure')",
    message: 'retryInterval needs name: RetryOnFailure',
  },
];

function strategyField(rules?: readonly Rule[]) {
  return optional(
    object(
      'What to do after a failure.',
      {
        name: optional(
          oneOf('RemediateOnFailure (default) remediates, RetryOnFailure retries without remediation.', [
            'RemediateOnFailure',
            'RetryOnFailure',
          ]),
        ),
        retryInterval: optional(duration('Interval between retries, only with RetryOnFailure. Default: 5m.')),
      },
      { rules },
    ),
  );
}

const remediationFields = {
  retries: optional(integer('Number of retries; a negative number means no limit. Default: 0.')),
  ignoreTestFailures: optional(flag('If true, failed tests are ignored. Default: test.ignoreFailures.')),
};

const installFields = {
  timeout,
  remediation: optional(
    object('What to do after a failed install: uninstall and retry.', {
      ...remediationFields,
      remediateLastFailure: optional(
        flag('If true, the release is also uninstalled after the last retry. Default: false.'),
      ),
    }),
  ),
  crds,
  skipCRDs: optional(flag('Deprecated: use crds. True means Skip.')),
  replace: optional(flag('If true, the name of a deleted release is reused.')),
  createNamespace: optional(
    flag('If true, creates the namespace in `targetNamespace` if it does not exist. Default: false.'),
  ),
  ...disableFields,
  serverSideApply: optional(flag('If true, uses server-side apply. Default: true.')),
};

const upgradeFields = {
  timeout,
  remediation: optional(
    object('What to do after a failed upgrade.', {
      ...remediationFields,
      remediateLastFailure: optional(
        flag('If true, the last failure is remediated too. Default: true if retries is above 0.'),
      ),
      strategy: optional(oneOf('How to remediate: rollback (default) or uninstall.', ['rollback', 'uninstall'])),
    }),
  ),
  crds,
  force: optional(flag('Has no effect, as in Flux with server-side apply. Default: false.')),
  preserveValues: optional(
    flag('If true, the values of the last release are kept and overridden by the new ones. Default: false.'),
  ),
  cleanupOnFail: optional(flag('If true, objects created by a failed upgrade are deleted. Default: false.')),
  ...disableFields,
  serverSideApply: serverSideApplyMode,
  chartNameChangeStrategy: optional(
    oneOf('What to do if the chart name changes: Reinstall (default) or InPlaceUpdate.', [
      'Reinstall',
      'InPlaceUpdate',
    ]),
  ),
};

function install(rules?: readonly Rule[]) {
  return object('Installation of the release.', { strategy: strategyField(rules), ...installFields });
}

function upgrade(rules?: readonly Rule[]) {
  return object('Upgrades of the release.', { strategy: strategyField(rules), ...upgradeFields });
}

/** For an entry of an Application: one of several layers. */
export const Install = install();
export const Upgrade = upgrade();

/**
 * For a HelmRelease. The rules stand at the smallest object that they are about: a rule at a large one makes the API
 * server collect all its fields for each field that the rule names, in every write.
 */
export const CompleteInstall = install(RETRY_NEEDS_ITS_STRATEGY);
export const CompleteUpgrade = upgrade(RETRY_NEEDS_ITS_STRATEGY);

export const Test = object('Helm tests after each install and upgrade.', {
  enable: optional(flag('If true, the tests of the chart run. Default: false.')),
  timeout,
  ignoreFailures: optional(flag('If true, failed tests are ignored. Default: false.')),
  filters: optional(
    list(
      'Tests to run. Default: all.',
      object('One test.', {
        name: text('Name of the test.', { minLength: 1, maxLength: 253 }),
        exclude: optional(flag('If true, this test is excluded instead of included.')),
      }),
    ),
  ),
});

export const Rollback = object('Rollbacks after failed upgrades.', {
  timeout,
  force: optional(flag('Has no effect, as in Flux with server-side apply. Default: false.')),
  recreate: optional(flag('Deprecated: has no effect.')),
  cleanupOnFail: optional(flag('If true, objects created by a failed rollback are deleted. Default: false.')),
  disableHooks,
  disableWait,
  disableWaitForJobs,
  serverSideApply: serverSideApplyMode,
});

export const Uninstall = object('Uninstallation of the release.', {
  timeout,
  disableHooks,
  keepHistory: optional(flag('If true, the history of the release is kept. Default: false.')),
  disableWait,
  deletionPropagation: optional(
    oneOf('How objects are deleted: background (default), foreground or orphan.', [
      'background',
      'foreground',
      'orphan',
    ]),
  ),
});
