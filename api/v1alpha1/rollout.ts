import type Type from 'typebox';
import { countOrPercentage, duration, flag, integer, list, object, oneOf, optional, text, time } from '../schema.js';
import { clusterChoice } from './destination.js';

const StageClusters = object('Clusters of the stage: those that are named, and those that the selector matches.', {
  ...clusterChoice('Names of clusters, as the status has them.'),
});

const Window = object('A time in which updates may start.', {
  schedule: text('When it opens: five fields of cron.', { minLength: 9, maxLength: 100 }),
  duration: duration('How long it stays open, in elapsed time.'),
  timeZone: optional(text('IANA time zone of the schedule, e.g. Europe/Berlin. Default: UTC.', { maxLength: 64 })),
});

const windows = (whose: string) =>
  optional(list(`Times in which ${whose} may start. Default: always.`, Window, { minItems: 1, maxItems: 5 }));

const Stage = object('A stage: it begins when all earlier ones are settled.', {
  name: text('Name of the stage, unique in the Application.', {
    pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    maxLength: 63,
  }),
  clusters: optional(StageClusters),
  maxConcurrent: optional(countOrPercentage('Destinations that may be updating at a time. Default: no limit.')),
  maxUnavailable: optional(countOrPercentage('Destinations that may be not Ready for an update. Default: no limit.')),
  bakeTime: optional(duration('How long the stage must stay settled before the next one begins. Default: 0s.')),
  approval: optional(flag('If true, the stage begins only when it is approved by annotation.')),
  windows: windows('updates of the stage, instead of those of the rollout,'),
});

/** `spec.rollout` */
export const Rollout = object('How changes reach the destinations. Default: all at once.', {
  stages: optional(
    list('Stages, in order. Clusters in none of them are in a last one, called rest.', Stage, {
      minItems: 1,
      maxItems: 20,
    }),
  ),
  onFailure: optional(
    oneOf('What happens if more destinations of a stage fail than failureBudget allows. Default: Pause.', [
      'Pause',
      'Rollback',
      'Continue',
    ]),
  ),
  failureBudget: optional(
    countOrPercentage('Destinations of a stage that may fail, but never all of them. Default: 0.'),
  ),
  unreachableBudget: optional(
    countOrPercentage('Destinations of a stage that may be unreachable. Default: all but one.'),
  ),
  paused: optional(flag('If true, nothing is updated or installed.')),
  windows: windows('updates'),
});
export type Rollout = Type.Static<typeof Rollout>;

const PHASES = [
  'Pending',
  'AwaitingApproval',
  'AwaitingWindow',
  'Progressing',
  'Baking',
  'Paused',
  'Halted',
  'RollingBack',
  'RolledBack',
  'Complete',
] as const;

const StageStatus = object('State of one stage.', {
  name: text('Name of the stage.'),
  phase: oneOf('Phase of the stage.', PHASES),
  message: optional(text('Why it is in this phase.')),
  approval: optional(text('Value of the annotation gitops.kubesphere.io/approve-stage that it waits for.')),
  startedAt: optional(time('When it began.')),
  settledAt: optional(time('Since when all its destinations are settled.')),
  unasked: optional(flag('True if it began without an approval.')),
  total: integer('Number of destinations.'),
  ready: integer('Destinations that have the revision and are Ready.'),
  updating: integer('Destinations that have the revision and are neither Ready nor failed.'),
  failed: integer('Destinations that failed.'),
  unreachable: integer('Destinations whose clusters are unreachable.'),
  waiting: integer('Destinations that do not have the revision yet.'),
  left: integer('Destinations that take no part, e.g. because they are suspended or pinned.'),
  rejected: optional(integer('Destinations that are rejected, e.g. because of their values. Default: 0.')),
});

/** `status.rollout` */
export const RolloutStatus = object('State of the rollout of the last revision.', {
  revision: integer('Revision that is rolled out.'),
  id: optional(text('Number and digest of the revision: annotations that approve, retry or abort it name it so.')),
  phase: oneOf('Phase of the rollout.', PHASES),
  message: optional(text('Why it is in this phase.')),
  startedAt: time('When it began.'),
  completedAt: optional(time('When its last stage was settled.')),
  stages: list('Stages.', StageStatus, { maxItems: 21 }),
  rolledBack: optional(
    object('A stage, or the whole rollout, went back to an earlier revision.', {
      stage: optional(text('Name of the stage. Default: all.')),
      to: optional(integer('Revision that it went back to, if there was one.')),
      why: text('Why.'),
    }),
  ),
  lastGood: optional(integer('Last revision that was rolled out completely, within the failure budgets.')),
  failing: optional(
    list('Destinations that failed and did not become Ready since.', text('Hash of a destination, and of its stage.'), {
      maxItems: 1_000,
    }),
  ),
  updating: optional(
    list('Destinations that are being updated.', text('Hash of a destination, and of the stage in which that began.'), {
      maxItems: 1_000,
    }),
  ),
  retried: optional(text('Value of the annotation gitops.kubesphere.io/retry-rollout that was carried out.')),
  aborted: optional(text('Value of the annotation gitops.kubesphere.io/abort-rollout that was carried out.')),
});
export type RolloutStatus = Type.Static<typeof RolloutStatus>;
