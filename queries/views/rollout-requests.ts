import type { Application } from '#api/v1alpha1/application.js';
import { approvalOf, UNPROVEN } from '#api/v1alpha1/approve-command.js';
import {
  ABORT_ROLLOUT_ANNOTATION,
  APPROVE_STAGE_ANNOTATION,
  PAUSE_ROLLOUT_ANNOTATION,
  RETRY_ROLLOUT_ANNOTATION,
  PIN_ANNOTATION,
  PIN_CLUSTERS_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import type { RolloutView } from '../answers/application.js';
import { listed } from '#lib/text/text.js';

/** The request of a user to an Application by its annotations; null removes one. */
export interface AnnotationRequest {
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Labels that go with them. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** The fields that are merged into the spec; null removes one. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** The effect of the request, and how it ends. */
  readonly done: string;
}

/** A request, or why there is nothing to ask for. */
export type Requested = AnnotationRequest | { readonly problem: string };

export const ROLLOUT_ACTIONS = ['approve', 'pause', 'resume', 'retry', 'abort'] as const;
export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number];

const MOST_STAGES = 20;

function annotationsOf({ metadata }: Application): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}

/** `REVISION`, or `REVISION@2` and so on if that was carried out already: a request is carried out once. */
function newRequest(revision: number, handled: string | undefined): string {
  const [number, count = '1'] = (handled ?? '').split('@', 2);
  if (number !== String(revision)) return String(revision);
  return `${revision}@${/^\d{1,6}$/.test(count) ? Number(count) + 1 : 2}`;
}

type Stage = RolloutView['stages'][number];

function shownApproval({ name, approval }: Stage, { revision }: RolloutView): string {
  return approval ?? approvalOf(name, revision);
}

/** The approval that a stage waits for; undefined if none waits. */
export function awaitedApproval(rollout: RolloutView): string | undefined {
  const stage = rollout.stages.find(({ phase }) => phase === 'AwaitingApproval');
  return stage && shownApproval(stage, rollout);
}

/** The stage that waits for an approval, if it is the wanted one; or why there is none. */
function waitingStage({ revision, stages }: RolloutView, wanted: string | undefined): Stage | { problem: string } {
  const stage = stages.find(({ phase }) => phase === 'AwaitingApproval');
  const names = stages.map(({ name }) => name);
  if (wanted !== undefined && !names.includes(wanted)) {
    return { problem: `there is no stage ${wanted}: the stages are ${listed(names, MOST_STAGES)}` };
  }
  if (stage === undefined) return { problem: `no stage of revision ${revision} waits for an approval` };
  if (wanted === undefined || wanted === stage.name) return stage;
  return { problem: `stage ${wanted} does not wait for an approval: stage ${stage.name} does` };
}

/** Approves the waiting stage. A missing proof is accepted only if the request names the approval that the user saw. */
function approve(rollout: RolloutView, { stage: wanted, approval: seen }: SeenRollout): Requested {
  const stage = waitingStage(rollout, wanted);
  if ('problem' in stage) return stage;
  const { name, message = '' } = stage;
  const approval = shownApproval(stage, rollout);
  const isUnproven = approval.endsWith(UNPROVEN);
  if (isUnproven && seen === undefined) {
    const wayOut = 'to approve that, use `fairlead rollout approve --unproven`';
    return { problem: `stage ${name} would begin without a proof: ${message}; ${wayOut}` };
  }
  if (seen !== undefined && seen !== approval) {
    return { problem: `stage ${name} waits for the approval ${approval} by now, not for ${seen}` };
  }
  const done = `stage ${name} of revision ${rollout.revision} is approved${isUnproven ? ', without a proof' : ''}`;
  return { annotations: { [APPROVE_STAGE_ANNOTATION]: approval }, done };
}

function pause(application: Application): Requested {
  if (annotationsOf(application)[PAUSE_ROLLOUT_ANNOTATION] === 'true') return { problem: 'it is paused already' };
  const done = 'rollouts are paused: nothing is updated or installed until `fairlead rollout resume`';
  return { annotations: { [PAUSE_ROLLOUT_ANNOTATION]: 'true' }, done };
}

function resume(application: Application): Requested {
  const isPausedBySpec = application.spec.rollout?.paused === true;
  const bySpec = 'spec.rollout.paused is true: change it where the Application comes from';
  if (annotationsOf(application)[PAUSE_ROLLOUT_ANNOTATION] === undefined) {
    return { problem: isPausedBySpec ? bySpec : 'it is not paused' };
  }
  const done = isPausedBySpec ? `the annotation is removed, but ${bySpec}` : 'rollouts go on';
  return { annotations: { [PAUSE_ROLLOUT_ANNOTATION]: null }, done };
}

function retry({ revision, rolledBack, retried, failing, completedAt }: RolloutView): Requested {
  const isHalted = failing !== undefined && completedAt === undefined;
  if (rolledBack === undefined && !isHalted) return { problem: `revision ${revision} is not rolled back` };
  const annotations = { [RETRY_ROLLOUT_ANNOTATION]: newRequest(revision, retried) };
  return { annotations, done: `revision ${revision} is rolled out again` };
}

function abort({ revision, completedAt, rolledBack, lastGood, aborted }: RolloutView): Requested {
  if (completedAt !== undefined) {
    return { problem: `revision ${revision} is rolled out: \`fairlead rollback\` goes back to an earlier one` };
  }
  // A stage that went back leaves the others where they are: an abort takes them back as well.
  if (rolledBack !== undefined && rolledBack.stage === undefined) {
    return { problem: `revision ${revision} is rolled back already` };
  }
  const back = lastGood === undefined ? 'what has it stays' : `its destinations go back to revision ${lastGood}`;
  const annotations = { [ABORT_ROLLOUT_ANNOTATION]: newRequest(revision, aborted) };
  const end = 'until the spec changes, or `fairlead rollout retry`';
  return { annotations, done: `the rollout of revision ${revision} is aborted: ${back} ${end}` };
}

/** The rollout as somebody saw it when they made a request; undefined fields are not compared. */
export interface SeenRollout {
  /** For an approval only. */
  readonly stage?: string | undefined;
  readonly revision?: number | undefined;
  /** The approval that the user saw; only for `approve`. */
  readonly approval?: string | undefined;
}

/** The fields of the rollout that was seen, by action. */
export const SEEN_FIELDS: Readonly<Partial<Record<RolloutAction, readonly (keyof SeenRollout)[]>>> = {
  approve: ['stage', 'revision', 'approval'],
  retry: ['revision'],
  abort: ['revision'],
};

/** Makes a request to the rollout that goes on. */
function ofRollout(rollout: RolloutView, action: RolloutAction, seen: SeenRollout): Requested {
  const { revision } = seen;
  if (revision !== undefined && revision !== rollout.revision) {
    return { problem: `its rollout is of revision ${rollout.revision} by now, not of ${revision}` };
  }
  if (action === 'approve') return approve(rollout, seen);
  return action === 'retry' ? retry(rollout) : abort(rollout);
}

/** Makes the request of an action; refuses it if the rollout is not the one that was seen. Never throws. */
export function rolloutRequest(application: Application, action: RolloutAction, seen: SeenRollout = {}): Requested {
  if (application.spec.rollout === undefined) return { problem: 'it has no spec.rollout' };
  if (action === 'pause') return pause(application);
  if (action === 'resume') return resume(application);
  const { rollout } = application.status ?? {};
  return rollout === undefined ? { problem: 'no rollout of it has begun' } : ofRollout(rollout, action, seen);
}

const NAMED = 20;

export interface RollbackInput {
  readonly application: Application;
  /** Numbers of the revisions that are kept. */
  readonly kept: readonly number[];
  /** Undefined: the last good one before the present one. */
  readonly to?: number | undefined;
  /** Undefined: all. */
  readonly cluster?: string | undefined;
}

type Pins = Pick<RollbackInput, 'application' | 'cluster'>;

/** The pins of single clusters as they are written; those that mean nothing stay, and are reported in the status. */
export function clusterPins({ metadata }: Application): ReadonlyMap<string, string> {
  const parts = (metadata.annotations?.[PIN_CLUSTERS_ANNOTATION] ?? '').split(',').map((part) => part.trim());
  return new Map(
    parts.filter((part) => part !== '').map((part) => [part.slice(0, part.lastIndexOf('=')).trim() || part, part]),
  );
}

function writtenPins(pins: ReadonlyMap<string, string>): string | null {
  return pins.size === 0 ? null : [...pins.values()].join(',');
}

/** Names the revision that a single cluster is pinned to. */
function ownPinOf({ application, cluster }: Pins): string | undefined {
  return cluster === undefined ? undefined : clusterPins(application).get(cluster)?.split('=').at(-1);
}

/** The revision that a cluster, or all of them, has to have now. */
function presentOf(pins: Pins): number {
  const { metadata, status } = pins.application;
  const pinned = ownPinOf(pins) ?? metadata.annotations?.[PIN_ANNOTATION];
  return (pinned === undefined ? undefined : Number(pinned)) ?? status?.history?.revision ?? 0;
}

/** True if all clusters have to have that revision now, so that going back to it changes nothing anywhere. */
export function isPresentEverywhere(application: Application, revision: number): boolean {
  const pins = [...clusterPins(application).keys()];
  return [undefined, ...pins].every((cluster) => presentOf({ application, cluster }) === revision);
}

/** The last good revision before the present one; without a rollout that says what is good, the one before it. */
function defaultOf(input: RollbackInput): number | undefined {
  const present = presentOf(input);
  const { lastGood } = input.application.status?.rollout ?? {};
  const earlier = input.kept.filter((revision) => revision < present);
  if (lastGood !== undefined && earlier.includes(lastGood)) return lastGood;
  return earlier.length === 0 ? undefined : Math.max(...earlier);
}

/** The clusters that the status knows, if it knows all. */
function unknownCluster({ application, cluster }: Pins): string | undefined {
  const { destinations = [], truncated = false } = application.status ?? {};
  const names = [...new Set(destinations.map((row) => row.cluster ?? ''))];
  if (cluster === undefined || truncated || names.includes(cluster)) return undefined;
  return `there is no destination on cluster ${cluster}, only on ${listed(names.sort(), NAMED)}`;
}

function refusal(input: RollbackInput): string | undefined {
  const { kept, to } = input;
  if (kept.length === 0)
    return 'it keeps no revisions: set spec.revisionHistoryLimit or spec.rollout before the next change';
  const numbers = listed([...kept].sort((a, b) => b - a).map(String), NAMED);
  if (to !== undefined && !kept.includes(to)) return `revision ${to} is not kept, only ${numbers}`;
  const unknown = unknownCluster(input);
  if (unknown !== undefined) return unknown;
  return (to ?? defaultOf(input)) === undefined ? noneBefore(input, numbers) : undefined;
}

function noneBefore(input: RollbackInput, numbers: string): string {
  const { application, cluster } = input;
  const own = ownPinOf(input);
  const pin = own ?? application.metadata.annotations?.[PIN_ANNOTATION];
  if (pin === undefined) return `there is no revision before the present one, only ${numbers}`;
  const [who, flag] = own === undefined ? ['it', ''] : [`cluster ${cluster ?? ''}`, flagOf(input)];
  const release = `\`fairlead rollback ${application.metadata.name} --release${flag}\``;
  return `${who} is pinned to revision ${pin}, and none before that is kept, only ${numbers}: name one with --to, or end this pin with ${release}`;
}

function flagOf({ cluster }: Pins): string {
  return cluster === undefined ? '' : ` --cluster ${cluster}`;
}

/** The annotations that send an Application, or one cluster, back to an earlier revision. Never throws. */
export function rollbackRequest(input: RollbackInput): Requested {
  const problem = refusal(input);
  const target = input.to ?? defaultOf(input);
  if (problem !== undefined || target === undefined) return { problem: problem ?? 'there is no earlier revision' };
  const { application, cluster } = input;
  const where = cluster === undefined ? 'all its clusters' : `cluster ${cluster}`;
  const end = `\`fairlead rollback ${application.metadata.name} --release${flagOf(input)}\``;
  const done = `pinned to revision ${target} on ${where}, whatever the spec says, until ${end}`;
  if (cluster === undefined) return { annotations: { [PIN_ANNOTATION]: String(target) }, done };
  const pins = new Map([...clusterPins(application), [cluster, `${cluster}=${target}`]]);
  return { annotations: { [PIN_CLUSTERS_ANNOTATION]: writtenPins(pins) }, done };
}

/** The annotations that end the pin of a cluster, or all pins. Never throws. */
export function releaseRequest({ application, cluster }: Pins): Requested {
  const { [PIN_ANNOTATION]: pin, [PIN_CLUSTERS_ANNOTATION]: perCluster } = application.metadata.annotations ?? {};
  const { rollout } = application.spec;
  const next = rollout === undefined ? 'at once' : 'in the stages of spec.rollout';
  const onward = `the revision of the spec is rolled out, ${next}`;
  if (cluster === undefined) {
    if (pin === undefined && perCluster === undefined) return { problem: 'it is not pinned' };
    const annotations = { [PIN_ANNOTATION]: null, [PIN_CLUSTERS_ANNOTATION]: null };
    return { annotations, done: `released: ${onward}` };
  }
  const pins = new Map(clusterPins(application));
  if (!pins.delete(cluster)) {
    const whole = `cluster ${cluster} is not pinned by itself, but the Application is: release it without --cluster`;
    return { problem: pin === undefined ? `cluster ${cluster} is not pinned` : whole };
  }
  const rest = pin === undefined ? onward : `the Application is pinned to revision ${pin}, and so is the cluster`;
  return {
    annotations: { [PIN_CLUSTERS_ANNOTATION]: writtenPins(pins) },
    done: `cluster ${cluster} is released: ${rest}`,
  };
}
