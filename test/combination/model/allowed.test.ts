import { describe, expect, test } from '@jest/globals';
import type { ApplicationSpec } from '#api/v1alpha1/application.js';
import { allowedFor } from './allowed.js';
import type { Act, Run, Target } from './facts.js';
import { ruleText, type RuleName } from './rules.js';
import {
  app,
  cluster,
  everyProd,
  onHost,
  plainRelease,
  release,
  runs,
  tell,
  version,
  type Says,
  type Step,
} from './telling.js';

interface Case {
  readonly steps: readonly Step[];
  readonly target: Target;
  /** Versions that may be deployed, besides what runs there. */
  readonly may: readonly string[];
  readonly rule: RuleName;
  /** The sentence that the case is about, if it isn't the one that decides. */
  readonly because?: RuleName;
}
type Cases = Readonly<Record<string, Case>>;
type Rollout = NonNullable<ApplicationSpec['rollout']>;

const names = ['one', 'two', 'three'] as const;
const [one, two, three] = names.map((name) => release(name)) as [Target, Target, Target];
const clusters = names.map((name) => cluster(name));
const application = 'team/web';
const old = '1.0.0';
const now = '2.0.0';

const canary: Rollout = { stages: [{ name: 'canary', clusters: { names: ['one'] } }] };
/** Two clusters in the first stage. */
const pair: Rollout = { stages: [{ name: 'pair', clusters: { names: ['one', 'two'] } }] };

const says = (more: Says, step: Step = {}): Step => ({
  applications: [app({ deploy: [everyProd], ...more })],
  ...step,
});
const shows = (...content: readonly Run[]): Step => ({ runs: content });
const ready = (target: Target, number = now): Run => runs(target, version(number));
const failed = (target: Target, number = now): Run => runs(target, version(number), 'Failed');
const acts = (act: Act): Step => ({ act });
const allOld = [ready(one, old), ready(two, old), ready(three, old)];

/** Version 1.0.0 is on all clusters, and the spec says 2.0.0 from moment 2 on. */
const edited = (more: Says): Step[] => [says(more, { clusters, runs: allOld }), says({ ...more, version: now })];
const rolling = (rollout: Rollout = canary, more: Says = {}): Step[] => edited({ rollout, ...more });
/** The edit was moment 2. */
const revision = 2;
const approve = (stage: string, unproven = false): Step =>
  acts({ do: 'approveStage', application, stage, revision, unproven });

const PROOFS: Cases = {
  'without a rollout, a change is for everybody': {
    steps: edited({}),
    target: two,
    may: [now],
    rule: 'allAtOnce',
  },
  'the first stage may begin': { steps: rolling(), target: one, may: [now], rule: 'inStages' },
  'the second stage waits for the first one': { steps: rolling(), target: two, may: [], rule: 'inStages' },
  'it begins when the first one is Ready with the revision': {
    steps: [...rolling(), shows(ready(one), ready(two, old), ready(three, old))],
    target: two,
    may: [now],
    rule: 'inStages',
  },
  'what is still installing proves nothing': {
    steps: [...rolling(), shows(runs(one, version(now), 'Progressing'), ready(two, old))],
    target: two,
    may: [],
    rule: 'inStages',
    because: 'proof',
  },
  'a first installation is in stages, too': {
    steps: [says({ rollout: canary }, { clusters })],
    target: two,
    may: [],
    rule: 'inStages',
  },
  'an edit in the middle begins at the first stage': {
    steps: [
      ...rolling(),
      shows(ready(one), ready(two, old), ready(three, old)),
      says({ rollout: canary, version: '3.0.0' }),
    ],
    target: two,
    may: [],
    rule: 'inStages',
  },
  'a stage of two names of one cluster holds no other one that is approved without a proof': {
    steps: [
      says({ rollout: canary }, { clusters: [...clusters, cluster('alias', undefined, { leadsTo: 'uid-one' })] }),
      acts({ do: 'approveStage', application, stage: 'rest', revision: 1, unproven: true }),
    ],
    target: two,
    may: [old],
    rule: 'inStages',
    because: 'namesOfOne',
  },
  'nor does one of a name that leads to the same cluster before anything was installed': {
    steps: [
      says({ rollout: canary }, { clusters }),
      { clusters: clusters.map((each) => (each.name === 'three' ? { ...each, leadsTo: 'uid-one' } : each)) },
      acts({ do: 'approveStage', application, stage: 'rest', revision: 1, unproven: true }),
    ],
    target: two,
    may: [old],
    rule: 'inStages',
    because: 'namesOfOne',
  },
  'a destination that is suspended proves nothing': {
    steps: [
      says({ rollout: canary }, { clusters, runs: allOld }),
      says({
        rollout: canary,
        version: now,
        deploy: [{ ...everyProd, overrides: [{ clusters: { names: ['one'] }, suspend: true }] }],
      }),
    ],
    target: two,
    may: [],
    rule: 'inStages',
  },
  'a destination that is pinned proves nothing': {
    steps: [...rolling(), acts({ do: 'pin', application, cluster: 'one', revision: 1 })],
    target: two,
    may: [],
    rule: 'inStages',
    because: 'takesNoPart',
  },
  'one that is pinned to the revision that is rolled out gets it in its stage, and proves it': {
    steps: [
      ...rolling(),
      acts({ do: 'pin', application, cluster: 'one', revision }),
      shows(ready(one), ready(two, old), ready(three, old)),
    ],
    target: two,
    may: [now],
    rule: 'inStages',
    because: 'takesNoPart',
  },
  'an approval without a proof says so': {
    steps: [...rolling(), acts({ do: 'pin', application, cluster: 'one', revision: 1 }), approve('rest', true)],
    target: two,
    may: [now],
    rule: 'inStages',
    because: 'unproven',
  },
  'another approval does not': {
    steps: [...rolling(), acts({ do: 'pin', application, cluster: 'one', revision: 1 }), approve('rest')],
    target: two,
    may: [],
    rule: 'inStages',
  },
  'an approval without a proof does not skip what still has to be updated': {
    steps: [...rolling(), approve('rest', true)],
    target: two,
    may: [],
    rule: 'inStages',
  },
  'a destination that is rejected stops nobody': {
    steps: [
      ...rolling(pair, {
        deploy: [
          {
            ...everyProd,
            overrides: [{ clusters: { names: ['two'] }, values: { zone: '${{ cluster.labels.zone }}' } }],
          },
        ],
      }),
      shows(ready(one), ready(two, old), ready(three, old)),
    ],
    target: three,
    may: [now],
    rule: 'inStages',
    because: 'rejectedNoFailure',
  },
  'a stage that cannot be reached proves nothing': {
    steps: [...rolling(), { clusters: clusters.map((each) => ({ ...each, answers: each.name !== 'one' })) }],
    target: two,
    may: [],
    rule: 'inStages',
    because: 'unreachable',
  },
  'unless its budget says so': {
    steps: [
      ...rolling({ ...canary, unreachableBudget: '100%' }),
      { clusters: clusters.map((each) => ({ ...each, answers: each.name !== 'one' })) },
    ],
    target: two,
    may: [now],
    rule: 'inStages',
  },
  'all but one may be unreachable': {
    steps: [
      ...rolling(pair),
      {
        clusters: clusters.map((each) => ({ ...each, answers: each.name !== 'two' })),
        runs: [ready(one), ready(two, old), ready(three, old)],
      },
    ],
    target: three,
    may: [now],
    rule: 'inStages',
  },
  'a stage that was installed once before proves nothing': {
    steps: rolling(canary, {
      deploy: [{ ...everyProd, overrides: [{ clusters: { names: ['one'] }, mode: 'Once' }] }],
    }),
    target: two,
    may: [],
    rule: 'inStages',
    because: 'onceNeutral',
  },
  'a stage that selects nothing stops everything': {
    steps: rolling({ stages: [{ name: 'canary', clusters: { names: ['missing'] } }] }),
    target: two,
    may: [],
    rule: 'emptyStage',
  },
  'a stage that needs an approval waits for it': {
    steps: [
      ...rolling({ stages: [...canary.stages!, { name: 'rest', approval: true }] }),
      shows(ready(one), ready(two, old)),
    ],
    target: two,
    may: [],
    rule: 'approval',
  },
  'an approval may be given early': {
    steps: [
      ...rolling({ stages: [...canary.stages!, { name: 'rest', approval: true }] }),
      approve('rest'),
      shows(ready(one), ready(two, old)),
    ],
    target: two,
    may: [now],
    rule: 'inStages',
  },
  'a bakeTime must pass first': {
    steps: [
      ...rolling({ stages: [{ ...canary.stages![0]!, bakeTime: '10m' }] }),
      shows(ready(one), ready(two, old)),
      { afterMinutes: 9 },
    ],
    target: two,
    may: [],
    rule: 'bakeTime',
  },
};

const FAILURES: Cases = {
  'a failure in the first stage stops the second one': {
    steps: [...rolling(), shows(failed(one), ready(two, old))],
    target: two,
    may: [],
    rule: 'failures',
  },
  'a failure stops its own stage': {
    steps: [...rolling(pair), shows(failed(one), ready(two, old))],
    target: two,
    may: [],
    rule: 'failures',
  },
  'a failed canary that is pinned stays failed': {
    steps: [
      ...rolling(),
      shows(failed(one), ready(two, old)),
      acts({ do: 'pin', application, cluster: 'one', revision: 1 }),
      shows(ready(one, old), ready(two, old)),
    ],
    target: two,
    may: [],
    rule: 'failures',
    because: 'stillFailed',
  },
  'a failed canary that is gone stays failed': {
    steps: [...rolling(pair), shows(failed(one), ready(two)), { clusters: clusters.slice(1) }],
    target: three,
    may: [],
    rule: 'failures',
    because: 'stillFailed',
  },
  'an approval without a proof does not help a stage that failed': {
    steps: [...rolling(), shows(failed(one), ready(two, old)), approve('rest', true)],
    target: two,
    may: [],
    rule: 'failures',
  },
  'what becomes Ready has not failed': {
    steps: [...rolling(), shows(failed(one)), shows(ready(one), ready(two, old))],
    target: two,
    may: [now],
    rule: 'inStages',
  },
  'a retry forgets what failed, and begins at the first stage': {
    steps: [
      ...rolling(),
      shows(failed(one), ready(two, old)),
      acts({ do: 'retry', application, revision }),
      shows(runs(one, version(now), 'Progressing'), ready(two, old)),
    ],
    target: two,
    may: [],
    rule: 'inStages',
    because: 'retried',
  },
  'a failed destination is retried before anything else': {
    steps: [...rolling(), shows(failed(one), ready(two, old)), shows(ready(one, old), ready(two, old))],
    target: one,
    may: [now],
    rule: 'resumedFirst',
  },
  'a budget allows some failures': {
    steps: [...rolling({ ...pair, failureBudget: 1 }), shows(failed(one), ready(two), ready(three, old))],
    target: three,
    may: [now],
    rule: 'inStages',
  },
  'but never all of them': {
    steps: [...rolling({ ...pair, failureBudget: 2 }), shows(failed(one), failed(two), ready(three, old))],
    target: three,
    may: [],
    rule: 'failures',
  },
  'Continue goes on': {
    steps: [...rolling({ ...canary, onFailure: 'Continue' }), shows(failed(one), ready(two, old))],
    target: two,
    may: [now],
    rule: 'inStages',
    because: 'goesOn',
  },
  'Rollback takes the stage back': {
    steps: [...rolling({ ...canary, onFailure: 'Rollback' }), shows(failed(one), ready(two, old))],
    target: one,
    may: [old],
    rule: 'rollback',
  },
  'Rollback starts nothing else': {
    steps: [...rolling({ ...canary, onFailure: 'Rollback' }), shows(failed(one), ready(two, old))],
    target: two,
    may: [],
    rule: 'rollback',
  },
  'an edit ends a rollback': {
    steps: [
      ...rolling({ ...canary, onFailure: 'Rollback' }),
      shows(failed(one), ready(two, old)),
      says({ rollout: canary, version: '3.0.0' }),
    ],
    target: one,
    may: ['3.0.0'],
    rule: 'inStages',
  },
  'an abort takes all stages back': {
    steps: [
      ...rolling(),
      shows(ready(one), ready(two, old), ready(three, old)),
      acts({ do: 'abort', application, revision }),
    ],
    target: one,
    may: [old],
    rule: 'rollback',
    because: 'aborted',
  },
  'what was installed with the new revision stays': {
    steps: [
      says({ rollout: canary }, { clusters: clusters.slice(1), runs: allOld.slice(1) }),
      says({ rollout: canary, version: now }, { clusters }),
      shows(ready(one), ready(two, old), ready(three, old)),
      acts({ do: 'abort', application, revision }),
    ],
    target: one,
    may: [],
    rule: 'rollback',
    because: 'installedNew',
  },
};

const HOLDS: Cases = {
  'a paused rollout starts nothing': {
    steps: rolling({ ...canary, paused: true }),
    target: one,
    may: [],
    rule: 'rolloutPaused',
  },
  'so does the annotation': {
    steps: rolling(canary, { annotations: { 'pause-rollout': 'true' } }),
    target: one,
    may: [],
    rule: 'rolloutPaused',
  },
  'a limit of 0 starts nothing': {
    steps: rolling({ stages: [{ ...canary.stages![0]!, maxConcurrent: 0 }] }),
    target: one,
    may: [],
    rule: 'zeroLimit',
  },
  'a suspended Application starts nothing': {
    steps: edited({ suspend: true }),
    target: one,
    may: [],
    rule: 'suspended',
  },
  'a dry run writes nothing': {
    steps: edited({ annotations: { 'dry-run': 'true' } }),
    target: one,
    may: [],
    rule: 'dryRun',
  },
  'what was installed once does not change': {
    steps: edited({ deploy: [{ ...everyProd, mode: 'Once' }] }),
    target: one,
    may: [],
    rule: 'once',
  },
  'what cannot be reached when its mode becomes Once is not Ready, and edited as before': {
    steps: [
      says({}, { clusters, runs: allOld }),
      says(
        { version: now, deploy: [{ ...everyProd, mode: 'Once' }] },
        { clusters: clusters.map((each) => ({ ...each, answers: false })) },
      ),
    ],
    target: one,
    may: [now],
    rule: 'allAtOnce',
    because: 'onceNotYet',
  },
  'a gate that is closed lets nothing in': {
    steps: [says({ deploy: [{ ...everyProd, ready: "'network' in cluster.labels" }] }, { clusters })],
    target: one,
    may: [],
    rule: 'readyGate',
  },
  'a cluster that is not ready gets nothing new': {
    steps: [says({ deploy: [everyProd] }, { clusters: clusters.map((each) => ({ ...each, notReady: true })) })],
    target: one,
    may: [],
    rule: 'clusterNotReady',
  },
  'an entry may say itself when a cluster is ready': {
    steps: [
      says(
        { deploy: [{ ...everyProd, ready: "'env' in cluster.labels" }] },
        { clusters: clusters.map((each) => ({ ...each, notReady: true })) },
      ),
    ],
    target: one,
    may: ['1.0.0'],
    rule: 'allAtOnce',
  },
  'a HelmRelease of a user stays as it is': {
    steps: [
      { plain: [plainRelease(release('host'))], runs: [runs(release('host'))] },
      says({ deploy: [onHost], version: now }),
    ],
    target: release('host'),
    may: [],
    rule: 'userRelease',
  },
  'an entry that lost its selector installs nothing on the host yet': {
    steps: [says({}, { clusters, runs: allOld }), says({ deploy: [onHost] })],
    target: release('host'),
    may: [],
    rule: 'lostSelector',
  },
};

const full: Step = { refusesRevisions: true };

const PINS: Cases = {
  'a revision that cannot be kept is not rolled out': {
    steps: [says({ rollout: canary }, { clusters, runs: allOld }), says({ rollout: canary, version: now }, full)],
    target: one,
    may: [],
    rule: 'notKept',
  },
  'one that was kept before is rolled out': { steps: [...rolling(), full], target: one, may: [now], rule: 'inStages' },
  'a pin gives everybody the earlier revision': {
    steps: [...edited({}), shows(ready(one), ready(two), ready(three)), acts({ do: 'pin', application, revision: 1 })],
    target: one,
    may: [old],
    rule: 'pinned',
  },
  'a pin of a cluster wins': {
    steps: [
      ...edited({}),
      says({ version: '3.0.0' }),
      acts({ do: 'pin', application, revision: 1 }),
      acts({ do: 'pin', application, cluster: 'one', revision }),
    ],
    target: one,
    may: [now],
    rule: 'pinned',
  },
  'a pin to a revision that nobody knows changes nothing': {
    steps: [...edited({}), acts({ do: 'pin', application, revision: undefined })],
    target: one,
    may: [],
    rule: 'pinUnknown',
  },
  'a destination that the revision does not have is not installed': {
    steps: [
      says({ deploy: [onHost] }, { clusters }),
      says({ deploy: [onHost, everyProd] }),
      acts({ do: 'pin', application, revision: 1 }),
    ],
    target: one,
    may: [],
    rule: 'pinLeaves',
  },
  'a pin ends with its Application': {
    steps: [
      ...edited({}),
      acts({ do: 'pin', application, revision: 1 }),
      { applications: [], runs: [] },
      says({ version: now, uid: 'uid-new' }),
    ],
    target: one,
    may: [now],
    rule: 'allAtOnce',
  },
  'a restored Application is still pinned': {
    steps: [
      ...edited({ annotations: { 'pin-revision': '1' } }),
      acts({ do: 'pin', application, revision: 1 }),
      says({ version: now, uid: 'uid-restored', annotations: { 'pin-revision': '1' } }),
    ],
    target: one,
    may: [old],
    rule: 'pinned',
  },
  'after a pin, a rollout begins at its first stage': {
    steps: [
      ...rolling(),
      shows(ready(one), ready(two, old), ready(three, old)),
      acts({ do: 'pin', application, revision: 1 }),
      shows(...allOld),
      acts({ do: 'unpin', application }),
    ],
    target: two,
    may: [],
    rule: 'inStages',
    because: 'afterPin',
  },
};

const paused = (...which: readonly string[]): Step => ({
  clusters: names.map((name) => cluster(name, { env: 'prod' }, { paused: which.includes(name) })),
});

const RESUMED: Cases = {
  'clusters that are resumed after a rollout are updated in stages': {
    steps: [...rolling(pair), paused('two', 'three'), shows(ready(one), ready(two, old), ready(three, old)), paused()],
    target: three,
    may: [],
    rule: 'resumedInStages',
  },
  'what is resumed in the first stage is updated at once': {
    steps: [...rolling(pair), paused('two'), shows(ready(one), ready(two, old), ready(three)), paused()],
    target: two,
    may: [now],
    rule: 'inStages',
  },
};

const TABLES = { RESUMED, PROOFS, FAILURES, HOLDS, PINS };

describe.each(Object.entries(TABLES))('what may run: %s', (_name, cases) => {
  const rows = Object.entries(cases).map(
    ([words, each]) => [words, ruleText(each.because ?? each.rule), each] as const,
  );

  test.each(rows)('%s (%s)', (_words, _rule, { steps, target, may, rule }) => {
    const { contents, isUndecided, rule: why } = allowedFor(tell(...steps), target);
    const started = contents.filter((each) => each.rule !== 'keepsRevision').map(({ content }) => content);
    expect({ started, isUndecided, why }).toEqual({
      started: may.map((number) => version(number)),
      isUndecided: false,
      why: rule,
    });
  });
});
