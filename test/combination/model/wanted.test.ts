import { describe, expect, test } from '@jest/globals';
import { filesContent } from './content.js';
import type { Target } from './facts.js';
import { ruleText, type RuleName } from './rules.js';
import {
  app,
  byReference,
  bySecret,
  cluster,
  everyProd,
  kubeconfig,
  onHost,
  plainRelease,
  release,
  runs,
  tell,
  version,
  type Says,
  type Step,
} from './telling.js';
import type { Verdict } from './verdict.js';
import { verdictOf } from './wanted.js';

interface Case {
  readonly steps: readonly Step[];
  readonly target: Target;
  readonly is: Verdict['is'];
  readonly uninstall: Verdict['uninstall'];
  readonly isGuarded?: boolean;
  readonly rule: RuleName;
  /** The sentence that the case is about, if it isn't the one that decides. */
  readonly because?: RuleName;
}
type Cases = Readonly<Record<string, Case>>;

const one = cluster('one');
const two = cluster('two');
const oneRelease = release('one');
const hostRelease = release('host');
const wanted = { is: 'wanted', uninstall: 'never' } as const;
const held = { is: 'held', uninstall: 'never' } as const;
const mustGo = { is: 'unwanted', uninstall: 'must' } as const;
const stays = { is: 'unwanted', uninstall: 'never' } as const;
const either = { is: 'undecided', uninstall: 'may' } as const;

const says = (application: Says, more: Step = {}): Step => ({ applications: [app(application)], ...more });
/** An Application whose release runs on the clusters one and two, by a selector. */
const fleet = (more: Says = {}): Step =>
  says({ deploy: [everyProd], ...more }, { clusters: [one, two], runs: [runs(oneRelease), runs(release('two'))] });
const other = { ...one, leadsTo: 'uid-other' };
/** The kubeconfig of the first cluster leads to another one. */
const replaced: Step = { clusters: [other, two] };
/** The user accepts that. */
const accepted: Step = {
  clusters: [{ ...other, annotations: { 'gitops.kubesphere.io/accept-cluster-uid': 'uid-other' } }, two],
};
/** An Application whose release runs on the host. */
const single = (more: Says = {}): Step => says({ deploy: [onHost], ...more }, { runs: [runs(hostRelease)] });
/** The same with a Secret of a kubeconfig. */
const remote = (more: Says = {}): Step =>
  says(
    { deploy: [bySecret('config')], ...more },
    { clusters: [kubeconfig('config', 'uid-one')], runs: [runs(oneRelease)] },
  );

const files: NonNullable<Says['files']> = [{ ...onHost, path: './apps' }];
const hostFiles: Target = {
  ...{ kind: 'Kustomization', cluster: 'uid-host', namespace: 'shop', storage: '' },
  name: 'GitRepository/team/source:./apps',
};
/** Two Applications with the same files. */
const shared: Step = { applications: [app({ files }), app({ name: 'other', uid: 'uid-other', files })] };

const ENTRIES: Cases = {
  'an entry wants its release': { steps: [single()], target: hostRelease, ...wanted, rule: 'entry' },
  'a selector wants a release on each cluster that it matches': {
    steps: [fleet()],
    target: oneRelease,
    ...wanted,
    rule: 'selectorMatches',
  },
  'a cluster that does not answer is still selected': {
    steps: [fleet(), { clusters: [{ ...one, answers: false }, two] }],
    target: oneRelease,
    ...wanted,
    rule: 'selectorMatches',
  },
  'an entry that is removed wants nothing any more': {
    steps: [
      says({ deploy: [onHost, bySecret('config')] }, { ...remote(), runs: [runs(hostRelease)] }),
      says({ deploy: [onHost, bySecret('config')] }, { runs: [runs(hostRelease), runs(oneRelease)] }),
      says({ deploy: [onHost] }),
    ],
    target: oneRelease,
    ...mustGo,
    rule: 'removedEntry',
  },
  'an entry that gets another name keeps its release': {
    steps: [single({ deploy: [{ ...onHost, name: 'a' }] }), says({ deploy: [{ ...onHost, name: 'b' }] })],
    target: hostRelease,
    ...wanted,
    rule: 'entry',
    because: 'sameRelease',
  },
  'another namespace of an entry without a name removes the old release': {
    steps: [single(), says({ deploy: [{ destination: { targetNamespace: 'new' } }] })],
    target: hostRelease,
    is: 'undecided',
    uninstall: 'may',
    rule: 'movedEntry',
  },
  'another namespace of an entry with a name moves its release': {
    steps: [
      single({ deploy: [{ ...onHost, name: 'a' }] }),
      says({ deploy: [{ name: 'a', destination: { targetNamespace: 'new' } }] }),
    ],
    target: hostRelease,
    ...mustGo,
    isGuarded: true,
    rule: 'movedEntry',
  },
  'another namespace of an entry with a selector needs room for removals': {
    steps: [
      fleet({ deploy: [{ ...everyProd, name: 'a' }] }),
      says({ deploy: [{ name: 'a', destination: { ...everyProd.destination, targetNamespace: 'new' } }] }),
    ],
    target: oneRelease,
    ...mustGo,
    isGuarded: true,
    rule: 'guardedChange',
  },
  'a chart with another name needs an uninstall': {
    steps: [single(), says({ deploy: [onHost], chart: 'other' })],
    target: hostRelease,
    is: 'wanted',
    uninstall: 'may',
    isGuarded: true,
    rule: 'chartName',
  },
  'a chart with another name of a selector needs room for removals': {
    steps: [fleet(), says({ deploy: [everyProd], chart: 'other' })],
    target: oneRelease,
    is: 'wanted',
    uninstall: 'may',
    isGuarded: true,
    rule: 'guardedChange',
  },
  'a new name of a kubeconfig Secret is a new installation': {
    steps: [
      remote(),
      says({ deploy: [bySecret('new')] }, { clusters: ['config', 'new'].map((name) => kubeconfig(name, 'uid-one')) }),
    ],
    target: oneRelease,
    is: 'wanted',
    uninstall: 'may',
    rule: 'newSecretName',
  },
  'an empty list of entries may be a mistake': {
    steps: [single(), says({ deploy: [] })],
    target: hostRelease,
    ...either,
    rule: 'noEntry',
  },
};

const NOT_UNDERSTOOD: Cases = {
  'two entries for one release are both left unchanged': {
    steps: [single(), says({ deploy: [onHost, onHost] })],
    target: hostRelease,
    ...held,
    rule: 'duplicate',
  },
  'an entry that says suspend and paused is left unchanged': {
    steps: [single(), says({ deploy: [{ ...onHost, suspend: true, paused: true }] })],
    target: hostRelease,
    ...held,
    rule: 'fieldByBothNames',
    because: 'rejectedEntry',
  },
  'an entry without a destination may mean the release that nobody else means': {
    steps: [single(), says({ deploy: [{}] })],
    target: hostRelease,
    ...held,
    rule: 'unclearEntry',
  },
  'a value that cannot be computed leaves its cluster unchanged': {
    steps: [fleet(), says({ deploy: [{ ...everyProd, values: { zone: '${{ cluster.labels.zone }}' } }] })],
    target: oneRelease,
    ...held,
    rule: 'valuesInvalid',
  },
  'an Application without a chart is left unchanged': {
    steps: [single(), says({ deploy: [onHost], version: 'not a ... ' })],
    target: hostRelease,
    ...held,
    rule: 'stalled',
  },
  'a template that is missing changes nothing': {
    steps: [single(), says({ deploy: [onHost], template: 'gone' })],
    target: hostRelease,
    ...held,
    rule: 'templateProblem',
  },
  'a dry run removes nothing': {
    steps: [fleet(), says({ deploy: [onHost], annotations: { 'dry-run': 'yes' } })],
    target: oneRelease,
    ...held,
    rule: 'dryRun',
  },
};

const CLUSTERS: Cases = {
  'a cluster that loses its label is removed with room for removals': {
    steps: [fleet(), { clusters: [cluster('one', { env: 'test' }), two] }],
    target: oneRelease,
    ...mustGo,
    isGuarded: true,
    rule: 'guarded',
  },
  'an excluded cluster is removed as well': {
    steps: [
      fleet(),
      says({
        deploy: [
          {
            destination: {
              clusterSelector: { matchLabels: { env: 'prod' }, exclude: ['one'] },
              targetNamespace: 'shop',
            },
          },
        ],
      }),
    ],
    target: oneRelease,
    ...mustGo,
    isGuarded: true,
    rule: 'guarded',
  },
  'a cluster that is gone keeps what runs there': {
    steps: [fleet(), { clusters: [two] }],
    target: oneRelease,
    ...stays,
    rule: 'clusterGone',
  },
  'a cluster that is unknown is never gone': {
    steps: [fleet(), { clusters: [], unreadKinds: ['Secret'] }],
    target: oneRelease,
    ...held,
    rule: 'clusterUnknown',
  },
  'a cluster that comes back under another name keeps what runs there': {
    steps: [fleet(), { clusters: [cluster('new', { env: 'prod' }, { leadsTo: 'uid-one' }), two] }],
    target: oneRelease,
    ...wanted,
    rule: 'twoNames',
  },
  'a paused cluster loses nothing': {
    steps: [
      says({ deploy: [everyProd] }, { clusters: [{ ...one, kind: 'Cluster.x' }], runs: [runs(oneRelease)] }),
      { clusters: [{ ...cluster('one', {}), kind: 'Cluster.x', paused: true }] },
    ],
    target: oneRelease,
    ...held,
    rule: 'clusterPaused',
  },
  'a cluster whose grant was taken back loses nothing': {
    steps: [
      says(
        { deploy: [everyProd] },
        { clusters: [{ ...one, namespace: 'fleet', grantedTo: ['team'] }], runs: [runs(oneRelease)] },
      ),
      { clusters: [{ ...one, namespace: 'fleet' }] },
    ],
    target: oneRelease,
    ...held,
    rule: 'grantTaken',
  },
  'a cluster that a reference names and that is gone is left unchanged': {
    steps: [says({ deploy: [byReference('one')] }, { clusters: [one], runs: [runs(oneRelease)] }), { clusters: [] }],
    target: oneRelease,
    ...held,
    rule: 'unclearEntry',
  },
  'a replaced cluster is held, where the release was': {
    steps: [fleet(), replaced],
    target: oneRelease,
    ...held,
    rule: 'replaced',
  },
  'what ran on a replaced cluster stays there when the other one is accepted': {
    steps: [fleet(), replaced, accepted],
    target: oneRelease,
    ...stays,
    rule: 'accepted',
  },
  'the accepted cluster gets the release': {
    steps: [fleet(), replaced, accepted],
    target: release('other'),
    ...wanted,
    rule: 'selectorMatches',
  },
};

const DELETION: Cases = {
  'a deleted Application uninstalls': {
    steps: [fleet(), says({ deploy: [everyProd], isDeleted: true })],
    target: oneRelease,
    ...mustGo,
    rule: 'deleted',
  },
  'a deleted Application uninstalls, also in a dry run': {
    steps: [fleet(), says({ deploy: [everyProd], isDeleted: true, annotations: { 'dry-run': 'true' } })],
    target: oneRelease,
    ...mustGo,
    rule: 'dryRunDeleted',
  },
  'Orphan keeps everything when the Application is deleted': {
    steps: [fleet({ policy: 'Orphan' }), says({ deploy: [everyProd], policy: 'Orphan', isDeleted: true })],
    target: oneRelease,
    ...stays,
    rule: 'orphan',
  },
  'Orphan keeps everything when the namespace is deleted': {
    steps: [fleet({ policy: 'Orphan' }), { namespaces: [{ name: 'team', uid: 'uid-team', isBeingDeleted: true }] }],
    target: oneRelease,
    ...stays,
    rule: 'orphan',
  },
  'what Orphan left behind stays when an Application of the same name wants something else': {
    steps: [
      single({ policy: 'Orphan' }),
      says({ deploy: [onHost], policy: 'Orphan', isDeleted: true }),
      { applications: [] },
      says({ deploy: [{ destination: { targetNamespace: 'new' } }], uid: 'uid-other' }),
    ],
    target: hostRelease,
    ...stays,
    rule: 'orphan',
  },
  'Orphan that comes right before the deletion may be too late': {
    steps: [
      fleet(),
      says({ deploy: [everyProd], policy: 'Orphan' }, { isSettled: false }),
      says({ deploy: [everyProd], policy: 'Orphan', isDeleted: true }, { isSettled: false }),
    ],
    target: oneRelease,
    is: 'unwanted',
    uninstall: 'may',
    rule: 'orphanNotYet',
  },
  'with Orphan, a cluster that stops matching keeps its release': {
    steps: [fleet({ policy: 'Orphan' }), { clusters: [cluster('one', { env: 'test' }), two] }],
    target: oneRelease,
    ...stays,
    rule: 'orphanUnmatched',
  },
  'with Orphan, nobody knows what becomes of an entry without a selector that is removed': {
    steps: [
      single({ policy: 'Orphan' }),
      says({ deploy: [{ destination: { targetNamespace: 'new' } }], policy: 'Orphan' }),
    ],
    target: hostRelease,
    ...either,
    rule: 'orphanUnmatched',
  },
  'a suspended release stays when its Application is deleted': {
    steps: [single({ suspend: true }), says({ deploy: [onHost], suspend: true, isDeleted: true })],
    target: hostRelease,
    ...stays,
    rule: 'suspendedDeleted',
  },
  'an Application that vanishes uninstalls nothing for certain': {
    steps: [single(), { applications: [] }],
    target: hostRelease,
    is: 'unwanted',
    uninstall: 'may',
    rule: 'deletedAtOnce',
  },
  'a deleted Application waits for a replaced cluster': {
    steps: [fleet(), replaced, says({ deploy: [everyProd], isDeleted: true })],
    target: oneRelease,
    ...held,
    rule: 'replacedDeleted',
  },
  'an abandoned cluster may keep what runs there': {
    steps: [fleet(), says({ deploy: [everyProd], isDeleted: true, annotations: { abandon: 'one' } })],
    target: oneRelease,
    is: 'unwanted',
    uninstall: 'may',
    rule: 'abandoned',
  },
  'a restored Application with another UID still wants its release': {
    steps: [single(), says({ deploy: [onHost], uid: 'uid-restored' })],
    target: hostRelease,
    ...wanted,
    rule: 'entry',
  },
};

const LEFT_ALONE: Cases = {
  'what was installed once stays when its entry is removed': {
    steps: [fleet({ deploy: [{ ...everyProd, mode: 'Once' }] }), says({ deploy: [onHost] })],
    target: oneRelease,
    ...stays,
    rule: 'onceUnmatched',
  },
  'what was not installed yet with mode Once is removed as any other release': {
    steps: [
      says(
        { deploy: [{ ...everyProd, mode: 'Once' }] },
        { clusters: [one], runs: [runs(oneRelease, version('1.0.0'), 'Failed')] },
      ),
      says({ deploy: [onHost] }),
    ],
    target: oneRelease,
    ...mustGo,
    isGuarded: true,
    rule: 'guarded',
  },
  'a suspended entry that is removed leaves its release': {
    steps: [
      says({ deploy: [{ ...onHost, suspend: true }] }, { runs: [runs(hostRelease)] }),
      says({ deploy: [{ destination: { targetNamespace: 'new' } }] }),
    ],
    target: hostRelease,
    ...stays,
    rule: 'suspendedDeleted',
  },
  'two entries of one release are left unchanged, so that neither suspends it before it is removed': {
    steps: [
      single(),
      says({ deploy: [{ ...onHost, suspend: true }, onHost] }),
      says({ deploy: [{ destination: { targetNamespace: 'new' } }] }),
    ],
    target: hostRelease,
    is: 'unwanted',
    uninstall: 'may',
    rule: 'suspendedDeleted',
    because: 'sameRelease',
  },
  'an entry that says suspend while its Application is pinned does not suspend its child': {
    steps: [
      says({ deploy: [everyProd] }, { clusters: [one], runs: [runs(oneRelease)] }),
      { act: { do: 'pin', application: 'team/web', revision: 0 } },
      says({ deploy: [{ ...everyProd, suspend: true }] }),
      { clusters: [{ ...one, labels: { 'gitops.kubesphere.io/cluster': 'true' } }] },
      { act: { do: 'unpin', application: 'team/web' } },
    ],
    target: oneRelease,
    is: 'unwanted',
    uninstall: 'may',
    rule: 'suspendedDeleted',
    because: 'pinned',
  },
  'a pin uninstalls nothing of an entry that has moved': {
    steps: [
      single({ deploy: [{ ...onHost, name: 'a' }] }),
      { act: { do: 'pin', application: 'team/web', revision: 1 } },
      says({ deploy: [{ name: 'a', destination: { targetNamespace: 'new' } }] }),
    ],
    target: hostRelease,
    ...held,
    rule: 'pinLeaves',
  },
};

const OWNERS: Cases = {
  'a HelmRelease of a user is never touched': {
    steps: [{ plain: [plainRelease(hostRelease)], runs: [runs(hostRelease)] }, says({ deploy: [onHost] })],
    target: hostRelease,
    ...held,
    rule: 'userRelease',
  },
  'an Application that had the release first keeps it': {
    steps: [single(), { plain: [plainRelease(hostRelease)] }],
    target: hostRelease,
    ...wanted,
    rule: 'ownerKeeps',
  },
  'what an Application had first goes with its entry, although a HelmRelease of a user waits for it': {
    steps: [
      single(),
      { plain: [plainRelease(hostRelease)] },
      says({ deploy: [{ destination: { targetNamespace: 'new' } }] }),
    ],
    target: hostRelease,
    ...either,
    rule: 'movedEntry',
    because: 'laterRelease',
  },
  'a HelmRelease of a user with a record of its own keeps what an Application leaves': {
    steps: [
      single(),
      {
        plain: [plainRelease({ ...hostRelease, storage: 'other' })],
        runs: [runs(hostRelease), runs({ ...hostRelease, storage: 'other' })],
      },
      says({ deploy: [{ destination: { targetNamespace: 'new' } }] }),
    ],
    target: hostRelease,
    ...held,
    rule: 'userRelease',
  },
  'what waits for an Application gets it when that is gone': {
    steps: [
      single(),
      { plain: [plainRelease(hostRelease)] },
      says({ deploy: [{ destination: { targetNamespace: 'new' } }] }),
      { runs: [] },
      { runs: [runs(hostRelease)] },
    ],
    target: hostRelease,
    ...held,
    rule: 'userRelease',
  },
  'files on a cluster that a user reaches by another Secret may go': {
    steps: [
      says({ deploy: [bySecret('config')] }, { clusters: [kubeconfig('config', 'uid-one')], runs: [runs(oneRelease)] }),
      {
        plain: [plainRelease({ ...oneRelease, storage: 'other' }, { kubeConfig: 'other' })],
        runs: [runs(oneRelease), runs({ ...oneRelease, storage: 'other' })],
      },
      says({ deploy: [{ destination: { targetNamespace: 'new' } }] }, { clusters: [kubeconfig('config', 'uid-one')] }),
    ],
    target: oneRelease,
    ...either,
    rule: 'twoSecrets',
  },
  'the Application takes over when the HelmRelease of the user is gone': {
    steps: [
      { plain: [plainRelease(hostRelease, { isSuspended: true })], runs: [runs(hostRelease)] },
      says({ deploy: [onHost] }),
      { plain: [] },
    ],
    target: hostRelease,
    ...wanted,
    rule: 'entry',
  },
  'two Secrets for one cluster are two clusters': {
    steps: [
      { plain: [plainRelease(oneRelease, { kubeConfig: 'other' })], runs: [runs(oneRelease)] },
      says({ deploy: [bySecret('config')] }, { clusters: [kubeconfig('config', 'uid-one')] }),
    ],
    target: oneRelease,
    ...either,
    rule: 'twoSecrets',
  },
  'a release that nobody ever described is not ours': {
    steps: [{ runs: [runs(hostRelease)] }],
    target: hostRelease,
    ...held,
    rule: 'notOurs',
  },
  'a release that another Application wants as it is stays': {
    steps: [
      single(),
      {
        applications: [
          app({ deploy: [{ destination: { targetNamespace: 'new' } }] }),
          app({ name: 'other', uid: 'uid-other', deploy: [{ ...onHost, releaseName: 'web' }] }),
        ],
      },
    ],
    target: hostRelease,
    is: 'undecided',
    uninstall: 'never',
    rule: 'handedOver',
  },
  'files go to the Application that applies them first': {
    steps: [shared, { runs: [runs(hostFiles, filesContent({}))] }],
    target: hostFiles,
    ...either,
    rule: 'appliedFirst',
  },
  'files that are applied already stay those of their Application': {
    steps: [says({ files }, { runs: [runs(hostFiles, filesContent({}))] }), shared],
    target: hostFiles,
    ...wanted,
    rule: 'entry',
  },
  'a user who deletes a child has its release uninstalled': {
    steps: [single(), { act: { do: 'deleteChild', application: 'team/web', target: hostRelease }, isSettled: false }],
    target: hostRelease,
    is: 'wanted',
    uninstall: 'may',
    rule: 'otherClient',
  },
};

const TABLES = { ENTRIES, NOT_UNDERSTOOD, CLUSTERS, DELETION, LEFT_ALONE, OWNERS };

describe.each(Object.entries(TABLES))('what users want: %s', (_name, cases) => {
  const rows = Object.entries(cases).map(
    ([words, each]) => [words, ruleText(each.because ?? each.rule), each] as const,
  );

  test.each(rows)('%s (%s)', (_words, _rule, { steps, target, is, uninstall, isGuarded = false, rule }) => {
    expect(verdictOf(tell(...steps), target)).toEqual({ is, uninstall, isGuarded, rule });
  });
});
