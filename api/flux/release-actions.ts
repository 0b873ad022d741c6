import { duration, flag, integer, list, object, oneOf, optional, text, type Rule } from '../schema.js';

/** The steps of a Helm release, as HelmRelease and each entry of an Application configure them. */

const timeout = optional(duration('Limit of each single Kubernetes operation; that of the release by default.'));
const disableHooks = optional(flag("True leaves the chart's hooks out; false by default."));
const disableWait = optional(flag('True does not wait until the objects are ready; false by default.'));
const disableWaitForJobs = optional(flag('True does not wait until Jobs are complete; false by default.'));
const disableSchemaValidation = optional(flag("True skips the chart's values schema; false by default."));
const disableOpenAPIValidation = optional(
  flag('True skips validation against the OpenAPI of the cluster; false by default.'),
);
const disableTakeOwnership = optional(
  flag('True refuses objects that already exist; false by default: they are taken over.'),
);
const crds = optional(
  oneOf(
    'CRDs in the chart folder `crds`: Skip, Create those that are missing (default), CreateReplace also changes them.',
    ['Skip', 'Create', 'CreateReplace'],
  ),
);
const serverSideApplyMode = optional(
  oneOf('Server-side apply: enabled, disabled, or auto (default) as the release was made.', [
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

function strategyField(rules: readonly Rule[]) {
  return optional(
    object(
      'What a failure leads to.',
      {
        name: optional(
          oneOf('RemediateOnFailure (default) remediates, RetryOnFailure tries again and never remediates.', [
            'RemediateOnFailure',
            'RetryOnFailure',
          ]),
        ),
        retryInterval: optional(duration('Pause between tries, with RetryOnFailure only; 5m by default.')),
      },
      rules.length === 0 ? {} : { rules },
    ),
  );
}

const remediationFields = {
  retries: optional(integer('How often it is tried again; 0 by default, below 0 without end.')),
  ignoreTestFailures: optional(flag('True lets failed tests pass; as test.ignoreFailures by default.')),
};

const installFields = {
  timeout,
  remediation: optional(
    object('What a failed installation leads to: it is uninstalled and tried again.', {
      ...remediationFields,
      remediateLastFailure: optional(flag('True also uninstalls the last failure; false by default.')),
    }),
  ),
  crds,
  skipCRDs: optional(flag('Deprecated: use crds. True is Skip.')),
  replace: optional(flag('True uses the name of a deleted release again.')),
  createNamespace: optional(
    flag('True makes the target namespace when it is missing, where `targetNamespace` is set; false by default.'),
  ),
  disableHooks,
  disableOpenAPIValidation,
  disableSchemaValidation,
  disableTakeOwnership,
  disableWait,
  disableWaitForJobs,
  serverSideApply: optional(flag('Server-side apply; true by default.')),
};

const upgradeFields = {
  timeout,
  remediation: optional(
    object('What a failed upgrade leads to.', {
      ...remediationFields,
      remediateLastFailure: optional(
        flag('True also remediates the last failure; by default when retries are above 0.'),
      ),
      strategy: optional(
        oneOf('How a failed upgrade is taken back: rollback (default) or uninstall.', ['rollback', 'uninstall']),
      ),
    }),
  ),
  crds,
  force: optional(flag('Without effect, as in Flux with server-side apply; false by default.')),
  preserveValues: optional(flag('True keeps the values of the last release below the new ones; false by default.')),
  cleanupOnFail: optional(flag('True deletes what a failed upgrade created; false by default.')),
  disableHooks,
  disableOpenAPIValidation,
  disableSchemaValidation,
  disableTakeOwnership,
  disableWait,
  disableWaitForJobs,
  serverSideApply: serverSideApplyMode,
  chartNameChangeStrategy: optional(
    oneOf('A chart of another name: Reinstall (default) or InPlaceUpdate.', ['Reinstall', 'InPlaceUpdate']),
  ),
};

function install(rules: readonly Rule[]) {
  return object('First installation of the release.', { strategy: strategyField(rules), ...installFields });
}

function upgrade(rules: readonly Rule[]) {
  return object('Upgrades of the release.', { strategy: strategyField(rules), ...upgradeFields });
}

/** For an entry of an Application: one of several layers. */
export const Install = install([]);
export const Upgrade = upgrade([]);

/**
 * For a HelmRelease. The rules stand at the smallest object that they are about: a rule at a large one makes the API
 * server collect all its fields for each field that the rule names, in every write.
 */
export const CompleteInstall = install(RETRY_NEEDS_ITS_STRATEGY);
export const CompleteUpgrade = upgrade(RETRY_NEEDS_ITS_STRATEGY);

export const Test = object('Helm tests after each install and upgrade.', {
  enable: optional(flag('True runs the tests of the chart; false by default.')),
  timeout,
  ignoreFailures: optional(flag('True lets failed tests pass; false by default.')),
  filters: optional(
    list(
      'Which tests run; all by default.',
      object('One test.', {
        name: text('Name of the test.', { minLength: 1, maxLength: 253 }),
        exclude: optional(flag('True leaves this test out instead of choosing it.')),
      }),
    ),
  ),
});

export const Rollback = object('Rollbacks after failed upgrades.', {
  timeout,
  force: optional(flag('Without effect, as in Flux with server-side apply; false by default.')),
  recreate: optional(flag('Deprecated: without effect.')),
  cleanupOnFail: optional(flag('True deletes what a failed rollback created; false by default.')),
  disableHooks,
  disableWait,
  disableWaitForJobs,
  serverSideApply: serverSideApplyMode,
});

export const Uninstall = object('Removal of the release.', {
  timeout,
  disableHooks,
  keepHistory: optional(flag('True keeps the history of the release; false by default.')),
  disableWait,
  deletionPropagation: optional(
    oneOf('How objects are deleted: background (default), foreground or orphan.', [
      'background',
      'foreground',
      'orphan',
    ]),
  ),
});
