/**
 * The sentences of the documentation that the model decides by: `file > heading: sentence`. A test finds each of them
 * in its file, so that an edit of the documentation asks for another look at the model.
 */
export const RULES = {
  entry:
    'docs/application.md > Destinations: Each entry becomes one child (a `HelmRelease` or `Kustomization`) in the namespace of the Application.',
  duplicate: 'docs/application.md > Destinations: Two entries with the same identity are both rejected.',
  sharedName: 'docs/destinations.md > Is the entry accepted?: another entry has the same `name`: both are rejected',
  sameRelease:
    'docs/application.md > Destinations: A running release goes to the entry that specifies it, even if that entry has another name.',
  removedEntry: 'docs/application.md > Destinations: Removing an entry uninstalls its release.',
  newSecretName:
    'docs/application.md > Destinations: Because of this, a new name for a kubeconfig Secret means a new installation.',
  rejectedEntry: 'docs/application.md > Rejected entries: is left unchanged together with its child.',
  unclearEntry:
    'docs/application.md > Rejected entries: While it is unclear which child belongs to the entry, no child of that kind is deleted.',
  newSecretMissing: 'docs/application.md > Rejected entries: No child of its kind is deleted.',
  fieldByBothNames: 'docs/application.md > Application: An entry that sets a field by both names is rejected.',
  suspended: 'docs/application.md > Requesting a reconciliation: stops reconciliation. What runs stays',
  readyGate: 'docs/application.md > Install once: Nothing is installed while `ready` is not true',
  clusterNotReady:
    'docs/clusters.md > Destinations: Nothing new is installed on a cluster whose object says that it is not ready',
  once: 'docs/application.md > Install once: Nothing is updated, healed or uninstalled',
  onceRemoved:
    'docs/application.md > Install once: **Remove the entry, or delete the Application**, and the child is deleted without an uninstall.',
  onceNotYet: 'docs/application.md > Install once: wait until its row is `Unmanaged`',
  onceUnmatched: 'docs/application.md > Install once: If a cluster only stops to match, its child stays as a record',
  onceAgain: 'docs/application.md > Install once: **To install once more**, delete the child',
  deleted: 'docs/application.md > Deletion: Deleting an Application uninstalls its releases and waits for them.',
  deletedAtOnce: 'docs/application.md > Deletion: What they had installed by then stays, and so it does if you remove',
  orphan:
    'docs/application.md > Deletion: `deletionPolicy: Orphan` and `kubectl delete --cascade=orphan` leave the releases running.',
  leftBehind:
    'docs/application.md > Deletion: An entry that would remove something of what was left behind waits and says so',
  orphanNotYet: 'docs/application.md > Deletion: until then the owner references still exist',
  namespaceContents:
    'docs/application.md > Deletion: What was installed into the deleted namespace itself is deleted with it.',
  abandoned: 'docs/application.md > Deletion: are then deleted without an uninstall.',
  dryRun: 'docs/application.md > Dry run: With this annotation no child is written.',
  dryRunDeleted: 'docs/application.md > Dry run: **A deleted Application deletes its children**',
  stalled: 'docs/application.md > Status: While an Application is stalled as a whole',
  otherEngine: 'docs/application.md > Not supported yet: In each of these cases, what already runs is left unchanged.',
  noEntry: 'docs/conditions.md > Reasons on an Application: `DeployEmpty`: No destination is listed.',
  olderClaim: 'docs/conditions.md > Reasons on an Application: or an older valid Application claims it.',
  handedOver:
    'docs/clusters.md > When a cluster is for another Application: The release is then upgraded, and not uninstalled.',
  templateProblem: 'docs/templates.md > Use a template: What runs is left unchanged, its rows still show',
  suspendedDeleted:
    'docs/helm.md > Deletion: A suspended HelmRelease is deleted without touching its release and its HelmChart.',
  secretMissing:
    'docs/helm.md > Deletion: Without the kubeconfig Secret, or without the ServiceAccount, nothing can be uninstalled',
  noPrune: 'docs/kustomization.md > Prune: A deleted Kustomization deletes its objects as `deletionPolicy` says.',
  userRelease:
    'docs/flux-handover.md > From a plain HelmRelease to an Application: An Application never installs what another object applies already',
  ownerKeeps:
    'docs/flux-handover.md > What is compared: An Application that already has the same release as another object keeps it',
  appliedFirst:
    'docs/application.md > Destinations: What another HelmRelease or Kustomization applies already is refused as well',
  laterRelease:
    'docs/helm.md > One HelmRelease for each release: Of two in one namespace, the one that has the release keeps it',
  twoSecrets: 'docs/flux-handover.md > What is compared: Two kubeconfig Secrets for one cluster are two clusters here',
  notOurs:
    "docs/decisions/0014-deletion-rule.md > Decision: `not-own` (kept): somebody else created it, according to Helm's storage or the status",
  otherClient: 'docs/decisions/0014-deletion-rule.md > Consequences: what another client deletes is deleted.',
  selectorMatches:
    'docs/clusters.md > Destinations: It matches the clusters that the namespace may use, whether they are ready or not.',
  emptySelector: 'docs/clusters.md > Destinations: An empty selector is rejected (`ClusterSelectorInvalid`)',
  nameOfTwo: 'docs/clusters.md > Destinations: A name that two of the clusters have means neither, and is refused',
  clusterNotFound:
    'docs/clusters.md > Destinations: A cluster that does not exist and one that is not granted are reported in the same words: `ClusterNotFound`.',
  namesOfOne:
    'docs/clusters.md > Destinations: The same applies to two names of one cluster, once probes found one UID of `kube-system`',
  twoNames: 'docs/clusters.md > Destinations: what it installed stays for the other one',
  clusterPaused:
    'docs/clusters.md > Destinations: A cluster that is `Paused` gets no new and no changed children, and loses none, until it continues.',
  accessChanged:
    'docs/clusters.md > Destinations: gets no new and no changed children, and loses none (`ClusterChanged`)',
  valuesInvalid: 'docs/clusters.md > Templates of values: only that destination is rejected, with `ValuesInvalid`.',
  overridesInvalid:
    'docs/conditions.md > Reasons on an Application: an entry with overrides or a valuesTemplate is on no cluster of the inventory.',
  notTakenOver:
    'docs/helm.md > Taking a release over: A release with another chart name or target namespace is not taken over',
  replaced:
    'docs/clusters.md > When a kubeconfig leads to another cluster: nothing is installed, updated or uninstalled there, by whichever engine',
  accepted: 'docs/clusters.md > When a kubeconfig leads to another cluster: and what is on the old one stays.',
  replacedDeleted:
    'docs/clusters.md > When a kubeconfig leads to another cluster: If the Application is deleted meanwhile, it waits.',
  guarded: 'docs/clusters.md > When a cluster stops matching: What follows protects releases of selectors',
  orphanUnmatched:
    'docs/clusters.md > When a cluster stops matching: then the child is deleted and what it installed stays.',
  clusterGone:
    'docs/clusters.md > When a cluster stops matching: If the object of the cluster is gone, nothing is uninstalled',
  clusterUnknown:
    'docs/clusters.md > When a cluster stops matching: Nothing is removed while it is unknown whether the cluster exists',
  grantTaken:
    'docs/clusters.md > When a cluster stops matching: after its grant was taken back, and while it is paused',
  lostSelector:
    'docs/clusters.md > When a cluster stops matching: nothing new is installed while releases of a removed selector wait',
  maxRemovals:
    'docs/clusters.md > When a cluster stops matching: limits how many releases may be removed within any 60 minutes',
  guardedChange: 'docs/clusters.md > Changes that uninstall first: Such a change always needs an approval',
  movedEntry: 'docs/clusters.md > Changes that uninstall first: An entry without a `name` releases something else',
  orphanMoved: 'docs/clusters.md > Changes that uninstall first: Such a change always needs an approval',
  templateChart: 'docs/clusters.md > Changes that uninstall first: also if a template brings it',
  chartName: 'docs/clusters.md > Changes that uninstall first: A HelmRelease gets a chart with another name',
  allAtOnce: 'docs/rollouts.md > Stages: Without `spec.rollout`, a change reaches all destinations at once.',
  inStages:
    'docs/rollouts.md > Stages: A stage begins when every destination of the earlier ones is _settled_: Ready with the new revision, or failed or unreachable within the budgets.',
  emptyStage:
    'docs/rollouts.md > Stages: While a stage that names or selects clusters has no destination, no stage begins.',
  bakeTime: 'docs/rollouts.md > Stages: Then its `bakeTime` must have passed',
  approval: 'docs/rollouts.md > Stages: a stage with `approval: true` must be approved',
  proof:
    'docs/rollouts.md > Stages: A stage must prove that the revision works: one of its destinations was Ready with it.',
  unproven: 'docs/rollouts.md > Stages: If a stage has no others, the next one waits for an approval',
  rejectedNoFailure: 'docs/rollouts.md > Stages: it stops no other destination, and starts no rollback.',
  zeroLimit: 'docs/rollouts.md > Stages: `0` and `0%` are 0, and nothing is started.',
  failures: 'docs/rollouts.md > Stages: nothing else is started until they are Ready.',
  stillFailed: 'docs/rollouts.md > Stages: and when it is pinned, suspended, rejected, paused or gone.',
  resumedFirst: 'docs/rollouts.md > Stages: If you resume it, it is updated again at once, before anything else.',
  resumedInStages: 'docs/rollouts.md > Stages: When the others are resumed, they are updated in stages',
  rollback:
    'docs/rollouts.md > Stages: the stage goes back to the last revision that was rolled out completely, and nothing else is started',
  installedNew: 'docs/rollouts.md > Stages: Destinations that were installed with the new revision stay as they are.',
  goesOn: 'docs/rollouts.md > Stages: - `Continue`: the rollout goes on.',
  unreachable:
    'docs/rollouts.md > Stages: a stage with destinations of which none can be reached has proven nothing, so the rollout waits',
  rolloutPaused: 'docs/rollouts.md > Stages: starts nothing, and neither does the annotation',
  aborted:
    'docs/rollouts.md > Stages: All its stages go back to the last revision that was rolled out completely, each within its limits, and stay there until the spec changes or it is retried',
  retried: 'docs/rollouts.md > Stages: A retry begins at the first stage.',
  keepsRevision:
    'docs/rollouts.md > Stages: A destination that is not updated yet keeps its revision, and changes of its HelmRelease or Kustomization by others are undone.',
  oldReleaseStays:
    'docs/rollouts.md > Stages: But an old release on a cluster that is not updated yet stays until then.',
  takesNoPart: 'docs/rollouts.md > Stages: takes no part, and is counted as `left`.',
  onceNeutral:
    'docs/rollouts.md > Stages: A destination that was installed once proves only the revision that it was installed with.',
  newerCommit:
    'docs/rollouts.md > Version ranges: A newer version is a new revision, and begins at the first stage, once the rollout is complete, rolled back, or stopped by failures.',
  pinned: 'docs/rollouts.md > Revisions and rollback: all destinations get what that revision says, and stay there',
  pinUninstallsNothing:
    'docs/rollouts.md > Revisions and rollback: Which destinations there are is always said by the spec, so a pin uninstalls nothing.',
  pinLeaves:
    'docs/rollouts.md > Revisions and rollback: with a chart of another name, is left unchanged, and not installed if it is new.',
  pinUnknown:
    'docs/rollouts.md > Revisions and rollback: If the revision is not kept, or the annotation is not valid, everything is left unchanged',
  notKept:
    'docs/rollouts.md > Revisions and rollback: If a new revision cannot be written, e.g. because of a ResourceQuota, nothing is updated to it',
  afterPin: 'docs/rollouts.md > Revisions and rollback: After the pin, a rollout begins at its first stage.',
} as const;

export type RuleName = keyof typeof RULES;

/** The sentence of the documentation, with its file and heading. */
export const ruleText = (name: RuleName): string => RULES[name];
