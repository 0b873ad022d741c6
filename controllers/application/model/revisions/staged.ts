import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { clusterIdOf, type ClusterIndex, clusterText, factsOf } from '../child/cluster.js';
import { describeChild } from '../child/messages.js';
import { isAt, isReady } from '../child/metadata.js';
import type { Child, DesiredChild, Hold, RejectedEntry } from '../child/types.js';
import { isUntouched } from '../clusters/leaving.js';
import type { Destination, World, WorldRevisions } from '../children/world.js';
import { advance } from '../rollout/advance.js';
import { previousRevision } from '../rollout/record.js';
import { requestsOf } from '../rollout/requests.js';
import { assignStages, laterDependencies, stagesOf } from '../rollout/stages.js';
import { recordIn } from '../rollout/status.js';
import type { Move, Rollout, RolloutInput, RolloutSpec, WindowView } from '../rollout/types.js';
import { windowsAt } from '../rollout/windows.js';
import { type EarlierRevisions, pinOf, unchanged } from './at-revision.js';
import { targetOf, type TargetView, viewsOf } from './targets.js';

interface StagingInput {
  readonly application: Application;
  readonly destinations: readonly Destination[];
  readonly revisions: WorldRevisions;
  readonly earlier: EarlierRevisions;
  /** As the new revision wants them. */
  readonly wanted: readonly DesiredChild[];
  /** The same, with those that are pinned at their revisions. */
  readonly pinned: readonly DesiredChild[];
  readonly rejected: readonly RejectedEntry[];
  /** Why no stage begins: destinations may be missing, or leave before they showed anything. */
  readonly incomplete: string | undefined;
  readonly nowMs: number;
}

/** What a rollout makes of the desired children. */
export interface Staging {
  readonly desired: readonly DesiredChild[];
  readonly rollout: Rollout;
  /** Why a child without an entry stays until its cluster is updated. */
  readonly whyStays: (child: Child) => string | undefined;
}

interface Past extends Pick<Rollout, 'record'> {
  readonly earlier: EarlierRevisions;
  /** The revision to go back to. */
  readonly back: number | undefined;
}

/** As the new revision wants it, and as the previous one does, if there is one. */
interface Sides {
  readonly wanted: DesiredChild;
  readonly previous: DesiredChild | undefined;
}

/** The wait that a move brings; undefined: it becomes what the spec wants. */
export function moveHold(move: Move | undefined, { rolledBack }: Rollout['record']): Hold | undefined {
  if (move === undefined) return undefined;
  if ('hold' in move) return { reason: move.cause, why: move.hold };
  if (move.to !== 'previous') return undefined;
  return { reason: 'RolledBack', why: rolledBack?.why ?? 'the revision is rolled back' };
}

function moved({ wanted, previous }: Sides, move: Move | undefined, { earlier, back, record }: Past): DesiredChild {
  if (move === undefined) return unchanged(wanted, 'it is in no stage');
  const behind = moveHold(move, record);
  if ('hold' in move) {
    // Nothing moves to a revision that is rolled back by itself.
    const next = record.rolledBack === undefined ? wanted : previous;
    // One that is older than its history may be at the last good revision.
    const held = { ...earlier.held(wanted, `rollout: ${move.hold}`, back), behind };
    return next === undefined ? held : { ...held, later: next.object };
  }
  return { ...((move.to === 'previous' ? previous : undefined) ?? wanted), behind };
}

/** Without windows, updates may start at any time. */
function windowOf(spec: RolloutSpec, stage: number, nowMs: number): WindowView {
  const windows = stagesOf(spec)[stage]?.windows ?? spec.windows ?? [];
  if (windows.length === 0) return { open: true };
  const { open, nextMs } = windowsAt(windows, nowMs);
  return { open, ...(open || nextMs === undefined ? {} : { nextMs: nextMs - nowMs }) };
}

/** A misspelt canary must not let the others through. */
function emptyStage(spec: RolloutSpec, stages: ReadonlyMap<string, number>): string | undefined {
  const used = new Set(stages.values());
  const empty = stagesOf(spec).find(({ clusters }, index) => clusters !== undefined && !used.has(index));
  return empty && `no destination is in stage "${empty.name}": correct its clusters, or remove the stage`;
}

function rolloutOf(
  spec: RolloutSpec,
  views: readonly TargetView[],
  input: StagingInput,
  memory: Pick<RolloutInput, 'record' | 'previous'>,
): Rollout {
  const { application, revisions, incomplete, nowMs } = input;
  const clusters = views.map(({ entry: { clusterName, names, cluster } }) => ({
    ...{ name: clusterName, names },
    labels: cluster?.labels ?? {},
  }));
  const { stages, problem, warnings } = assignStages(spec, clusters);
  const stageOf = ({ entry }: TargetView): number => stages.get(entry.clusterName) ?? -1;
  const staged = views.map((view) => ({ ...view, stage: stageOf(view) }));
  const rollout = advance({
    spec,
    targets: views.map((view) => targetOf(view, stageOf(view))),
    ...memory,
    revision: revisions.history.current,
    digest: revisions.history.digest,
    requests: requestsOf(application),
    incomplete: incomplete ?? problem ?? emptyStage(spec, stages),
    windowAt: (stage) => windowOf(spec, stage, nowMs),
    isDryRun: asksForDryRun(application),
    nowMs,
  });
  return { ...rollout, warnings: [...warnings, ...laterDependencies(staged, stagesOf(spec)), ...rollout.warnings] };
}

/** Clusters with a destination that is held: what their old entries left there stays until it is their turn. */
function waitingClusters(desired: readonly DesiredChild[], { moves }: Rollout): ReadonlyMap<string, string> {
  return new Map(
    desired.flatMap(({ entry }) => {
      const move = moves.get(entry.path);
      return move !== undefined && 'hold' in move ? [[entry.release.cluster, move.hold] as const] : [];
    }),
  );
}

/** Warnings for destinations that should roll back, but cannot do so without an uninstall. */
function stuckWarnings(views: readonly TargetView[], { record }: Rollout): string[] {
  if (record.rolledBack === undefined) return [];
  return views.flatMap(({ entry, live, wanted, previous }) =>
    isAt(live, wanted) && previous?.held !== undefined && previous.live !== undefined
      ? [`${entry.clusterName} stays at revision ${record.revision}: ${previous.held}`]
      : [],
  );
}

/** The desired children as far as the rollout of the Application has come. Never throws. */
function withStages(spec: RolloutSpec, input: StagingInput): Staging {
  const { application, revisions, earlier, wanted, pinned, rejected, destinations } = input;
  const record = recordIn(application.status?.rollout);
  const back = previousRevision(record, revisions.history.current);
  // Those that are wanted come first, in their order.
  const views = viewsOf(wanted, rejected, {
    destinations,
    previousOf: (each) => (back === undefined ? undefined : earlier.desired(back, each)),
    isPinned: (entry) => pinOf(entry, revisions) !== undefined,
  });
  const rollout = rolloutOf(spec, views, input, { record, previous: back });
  const clusters = waitingClusters(wanted, rollout);
  const past = { back, earlier, record: rollout.record };
  return {
    desired: wanted.map((each, index) => {
      if (pinOf(each.entry, revisions) !== undefined) return pinned[index] ?? each;
      return moved({ wanted: each, previous: views[index]?.previous }, rollout.moves.get(each.entry.path), past);
    }),
    rollout: { ...rollout, warnings: [...rollout.warnings, ...stuckWarnings(views, rollout)] },
    whyStays: (child) => {
      const why = clusters.get(clusterText(child.spec.kubeConfig));
      return why === undefined ? undefined : `because its cluster is not updated yet: ${why}`;
    },
  };
}

type Parts = Pick<StagingInput, 'wanted' | 'pinned' | 'rejected'> & {
  readonly earlier: EarlierRevisions | undefined;
};

interface Around extends Pick<
  World,
  'application' | 'clusters' | 'destinations' | 'revisions' | 'lost' | 'complete' | 'nowMs'
> {
  /** What selectors chose, if there are any. */
  readonly selections: readonly unknown[];
}

function whyIncomplete({ lost, selections, complete }: Around): string | undefined {
  const why = complete ? (selections.length === 0 ? undefined : lost[0]) : 'the list of children may be incomplete';
  return why && `destinations may be missing: ${why}`;
}

/** Something may still become of what runs on its cluster. */
function isUsable(child: Child, clusters: ClusterIndex): boolean {
  const id = clusterIdOf(child);
  if (id === undefined) return true;
  const { cluster, isAllowed } = factsOf(clusters, id);
  return isAllowed && cluster?.isPaused !== true;
}

/** A child that leaves before it showed that the revision works proves nothing, until it is gone or Ready. */
function whyLeaving({ destinations, revisions, clusters }: Around): string | undefined {
  const current = String(revisions?.history.current);
  const isCurrent = (child: Child | undefined): boolean =>
    child?.metadata.annotations?.[APPLICATION_REVISION] === current;
  const isOpen = (child: Child): boolean => isCurrent(child) && !isReady(child) && child.spec.suspend !== true;
  // Where another entry of its cluster is to be updated, it stays until then: neither may wait for the other.
  const staged = new Set(
    destinations.flatMap(({ entry, live }) => (entry !== undefined && !isCurrent(live) ? [entry.release.cluster] : [])),
  );
  const found = destinations.find(
    ({ entry, live }) =>
      entry === undefined &&
      live &&
      isUntouched(live) &&
      isOpen(live) &&
      isUsable(live, clusters) &&
      !staged.has(clusterText(live.spec.kubeConfig)),
  )?.live;
  return found && `${describeChild(found)}, which no entry is for any more, is not Ready with this revision`;
}

/** Undefined without a rollout, and while all destinations are pinned: nothing is rolled out then. */
export function stagingOf(around: Around, { earlier, ...parts }: Parts): Staging | undefined {
  const { application, destinations, revisions, nowMs } = around;
  const { rollout } = application.spec;
  if (rollout === undefined || revisions === undefined || earlier === undefined) return undefined;
  const { pins, history, waits } = revisions;
  if (waits !== undefined || pins.problem !== undefined || (pins.all ?? history.current) !== history.current)
    return undefined;
  const incomplete = whyIncomplete(around) ?? whyLeaving(around);
  return withStages(rollout, { ...parts, application, destinations, revisions, earlier, incomplete, nowMs });
}
