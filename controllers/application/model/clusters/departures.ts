import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import uniq from 'lodash/uniq.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { approveCommand } from '#api/v1alpha1/approve-command.js';
import { APPROVE_REMOVALS_ANNOTATION, DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { counted, listed } from '#lib/text/text.js';
import { defined } from '#lib/plain.js';
import { soonest } from '#lib/duration.js';
import { backendOf } from '../backends/index.js';
import { type ClusterIndex, clusterNameOf } from '../child/cluster.js';
import { describeChild } from '../child/messages.js';
import { isUnmanaged } from '../child/metadata.js';
import type { Child, DesiredChild, Violation } from '../child/types.js';
import { isRemoval, type Step, type Verdict } from '../child/verdicts.js';
import type { Successor } from '../children/successors.js';
import { type Elapsed, unmatchedMs } from '../children/elapsed.js';
import type { Selection } from '../destinations/expand.js';
import {
  extentOf,
  type Fate,
  fateOf,
  fateText,
  type Hold,
  isReinstall,
  isUntouched,
  lacksSelector,
  type Leaving,
  movingChildren,
} from './leaving.js';
import { type Count, guardRemovals, type Removals } from './removals.js';
import { restOf, selectedOf } from './staying.js';
import { Handovers } from './handovers.js';
import type { LostDestinations } from './lost-destinations.js';

/** Nothing is watched that says when the inventory is complete again. */
const UNKNOWN_RETRY_MS = 60_000;
const NAMED_CLUSTERS = 50;
const NAMED_IN_MESSAGE = 10;

export interface DeparturesInput extends Elapsed {
  readonly application: Application;
  readonly selections: readonly Selection[];
  readonly clusters: ClusterIndex;
  /** Children of the Application that an entry matches, and those that none does. */
  readonly matched: readonly Child[];
  readonly unmatched: readonly Child[];
  /** Others that no entry matches, or not for certain: by their clusters, or by an entry that may refer to them. */
  readonly unmatchedApart: readonly Child[];
  /** Those of them that go without an uninstall once a new entry has their release. */
  readonly awaiting: ReadonlySet<Child>;
  /** Those that stay for a new entry with the mode `Once`: no entry for the host waits for them. Default: none. */
  readonly meant?: ReadonlySet<Child>;
  /** All children of the Application. */
  readonly owned: readonly Child[];
  /** The matched children, as far as the rollout has progressed. */
  readonly desired: readonly DesiredChild[];
  /** The matched children as the spec wants them, without a rollout. */
  readonly wanted: readonly DesiredChild[];
  readonly lost: LostDestinations;
  /** See `Destination`. Default: none. */
  readonly successors?: ReadonlyMap<Child, Successor>;
  readonly delayMs: number;
  readonly nowMs: number;
}

/**
 * The rest of a hold while nothing leaves: children that waited may only be paused or unknown for now. An approval that
 * was carried out ends the hold. One that was withdrawn approves nothing any more.
 */
function openHold({ metadata, status }: Application, open: readonly Child[], running: number) {
  const before = status?.removals;
  if (before?.heldSince === undefined) return undefined;
  const isBegun = before.approved !== undefined;
  if (isBegun && metadata.annotations?.[APPROVE_REMOVALS_ANNOTATION] === before.approval) return undefined;
  const extent = extentOf(before, { leaving: [], open, running });
  if (extent.waiting.length === 0) return undefined;
  return { ...pick(before, 'heldSince'), ...extent };
}

/** Children that leave because selectors no longer match their clusters, or are not in the spec any more. */
export class Departures {
  readonly #fates: ReadonlyMap<Child, Fate>;
  readonly #removals: Removals;
  readonly #before: ApplicationStatus['removals'];
  /** Part of the status while nothing leaves, but children that were held may still do so; see `openHold`. */
  readonly #openHold: ReturnType<typeof openHold>;
  /** A child whose selector is not in the spec any more, and that is not removed yet. */
  readonly #unselected: Child | undefined;
  /** The child that a new entry replaces, and that is not removed yet. */
  readonly #replacedBy: ReturnType<LostDestinations['replacedBy']>;
  readonly #moving: readonly Leaving[];
  readonly #handovers: Handovers;
  /** Children that leave or move, or would if they were not held. */
  readonly leaving: readonly Leaving[];
  /** The children in `leaving` that leave; the others move. */
  readonly departing: readonly Child[];
  /** Milliseconds until the next reconciliation; undefined: when something changes. */
  readonly retryAfterMs: number | undefined;

  constructor(all: DeparturesInput) {
    const { application, selections, clusters, unmatched, desired } = all;
    const texts = new Set(selections.map(({ text }) => text));
    const replacedBy = (child: Child) => all.lost.replacing(child);
    const input = { selections: texts, clusters, policy: deletionPolicyOf(application), replacedBy };
    this.#fates = new Map(unmatched.map((child) => [child, fateOf(child, input)]));
    const { delayMs, successors = new Map<Child, Successor>() } = all;
    const unmatchedForMs = (each: Leaving): number => unmatchedMs(all, fateText(each));
    this.#handovers = new Handovers(this.#fates, { successors, unmatchedForMs, delayMs });
    const departing = [...this.#fates].flatMap(([child, fate]): Leaving[] =>
      fate.type === 'leaving' && isUntouched(child) && !this.#handovers.has(child)
        ? [{ child, ...omit(fate, 'type', 'stays') }]
        : [],
    );
    this.#moving = movingChildren(desired);
    const leaving = [...departing, ...this.#moving];
    const rest = restOf(all, leaving, texts);
    const selected = selectedOf(leaving, rest, selections);
    const counts = { staying: rest.staying.length, undecided: rest.undecided.length, selected };
    // A record of a release that was installed once never leaves.
    const isSpared = (child: Child): boolean => this.#fates.get(child)?.type === 'spared' && !isUnmanaged(child);
    const spared = unmatched.filter((child) => isSpared(child) && isUntouched(child));
    const open = uniq([...spared, ...rest.undecided, ...rest.named, ...all.unmatchedApart.filter(isUntouched)]);
    this.#removals = guardRemovals({ ...all, ...counts, unmatchedForMs, leaving, open });
    this.#before = application.status?.removals;
    this.#openHold = leaving.length === 0 ? openHold(application, open, rest.staying.length + open.length) : undefined;
    const isHeld = (child: Child): boolean => this.#heldRemoval(child) !== undefined || this.#handovers.has(child);
    const held = [...unmatched.filter(isHeld), ...all.unmatchedApart];
    this.#unselected = held.find((child) => lacksSelector(child, texts) && all.meant?.has(child) !== true);
    this.#replacedBy = all.lost.replacedBy(held.filter((child) => !all.awaiting.has(child)));
    this.leaving = leaving;
    this.departing = departing.map(({ child }) => child);
    const isUnknown = [...this.#fates.values()].some((fate) => fate.type === 'spared' && fate.isUnknown);
    this.retryAfterMs = soonest([
      this.#removals.retryAfterMs,
      this.#handovers.retryAfterMs,
      isUnknown ? UNKNOWN_RETRY_MS : undefined,
    ]);
  }

  /** Why nothing may be done about a child on its cluster now. */
  whySpared(child: Child): string | undefined {
    const fate = this.#fates.get(child);
    return fate?.type === 'spared' ? fate.why : undefined;
  }

  /** Why a child is not removed now. */
  #heldRemoval(child: Child): string | undefined {
    return this.whySpared(child) ?? this.#removals.held.get(child);
  }

  /** Why the removal of a child, or a change that uninstalls its release first, must wait on a cluster within reach. */
  heldMove(child: Child): string | undefined {
    return this.#removals.held.get(child);
  }

  /**
   * Why nothing new is installed for an entry: it replaces what is not removed yet, or it may be for the host cluster
   * only because its selector was lost.
   */
  heldCreation(desired: DesiredChild): string | undefined {
    const child = this.#replacedBy(desired);
    if (child !== undefined) return `waiting: it replaces ${this.#unremoved(child)}`;
    if (this.#unselected === undefined || desired.entry.release.cluster !== '') return undefined;
    return `waiting: the entry is for the host cluster, and a clusterSelector that is not in the spec any more made ${this.#unremoved(this.#unselected)}`;
  }

  #unremoved(child: Child): string {
    const why = this.#heldRemoval(child);
    return `${describeChild(child)}, which is not removed yet${why === undefined ? '' : ` (${why})`}`;
  }

  /** The verdict on a child that another Application takes over. */
  handover(child: Child): Verdict | undefined {
    return this.#handovers.verdict(child);
  }

  /** Children whose waiting times are remembered: those that leave, move, or are to be taken over. */
  get remembered(): Leaving[] {
    return [...this.leaving, ...this.#handovers.leaving];
  }

  /** Why what a child installed stays when it is removed. */
  releaseStays(child: Child): string | undefined {
    const fate = this.#fates.get(child);
    return fate?.type === 'leaving' && !fate.uninstalls ? fate.stays : undefined;
  }

  /** Why no entry is for a child that leaves, or is being deleted; undefined: it is not known here. */
  whyLeaves(child: Child): string | undefined {
    const fate = this.#fates.get(child);
    return fate?.type === 'leaving' ? fate.why : undefined;
  }

  /** The count with the removals that these steps begin; undefined if they begin none. */
  countAfter(steps: readonly Step[]): Count | undefined {
    const leaving = new Set(this.leaving.map(({ child }) => child));
    const begun = steps.filter((step) => isRemoval(step) && leaving.has(step.live));
    return begun.length === 0 ? undefined : this.#removals.countAfter(begun.length);
  }

  #names(): string[] {
    return this.leaving.map(({ child }) => clusterNameOf(child)).sort();
  }

  /** A hold that a dry run made is not in the status: its value would change with each pass, and approve nothing. */
  #howToApprove(metadata: Application['metadata'], { approval }: Hold): string {
    if (asksForDryRun({ metadata }) && approval !== this.#before?.approval) {
      return `remove the annotation ${DRY_RUN_ANNOTATION}: RemovalsHeld then has the command that approves exactly these`;
    }
    return `approve exactly these: ${approveCommand(metadata, approval)}`;
  }

  /** The first part of the message of `RemovalsHeld`. */
  #whatIsHeld(): string {
    const count = counted(this.leaving.length, 'release');
    const names = this.#names();
    // Several releases on one cluster are told apart.
    const places = this.leaving.map(({ child }) => backendOf(child).describePlace(child));
    const clusters = listed(uniq(names).length < names.length ? places.sort() : names, NAMED_IN_MESSAGE);
    const [first] = this.#moving;
    const replaced = this.leaving.find(({ replacedBy }) => replacedBy !== undefined);
    if (first === undefined && replaced !== undefined)
      return `${count} would be ${replaced.uninstalls ? 'uninstalled' : 'left behind'}, because ${replaced.why}; on ${clusters}`;
    if (first === undefined) return `${count} would be removed, because no entry is for them any more (${clusters})`;
    const moved = `an entry changes what can only be changed by an uninstall (${clusterNameOf(first.child)}: ${first.why})`;
    if (this.departing.length === 0) return `${count} would be uninstalled first, because ${moved}; on ${clusters}`;
    return `${count} would be removed, because no entry is for them any more or ${moved}; on ${clusters}`;
  }

  /** For the condition `RemovalsHeld`; undefined: no removal waits for an approval. */
  held({ metadata }: Application): Violation | undefined {
    const { isHeld, hold, allowed } = this.#removals;
    if (!isHeld || hold === undefined) return undefined;
    const limit = this.leaving.some(isReinstall)
      ? 'what is uninstalled to be installed again always needs an approval'
      : `spec.maxRemovals allows ${allowed} in an hour and, unless it is set, never the last of a selector, nor more than stay; if fewer are left, these wait, too`;
    const what = `${this.#whatIsHeld()}; ${limit}.`;
    const given = metadata.annotations?.[APPROVE_REMOVALS_ANNOTATION];
    const other = `The annotation ${APPROVE_REMOVALS_ANNOTATION} has another value: it approves other removals, and not these.`;
    const command = `Correct the entries or the labels, or ${this.#howToApprove(metadata, hold)}`;
    const message = [what, ...(given === undefined ? [] : [other]), command].join(' ');
    return { reason: 'ApprovalRequired', message };
  }

  /** For `status.removals`; undefined: nothing was removed or waits. */
  status(steps: readonly Step[]): ApplicationStatus['removals'] {
    const { counted } = this.countAfter(steps) ?? this.#before ?? {};
    const { isHeld, hold, allowed } = this.#removals;
    const kept = defined({ counted, ...(this.#openHold ?? hold) });
    if (!isHeld) return Object.keys(kept).length === 0 ? undefined : kept;
    const names = this.#names();
    return {
      ...kept,
      allowed,
      held: names.length,
      clusters: names.slice(0, NAMED_CLUSTERS),
      ...(names.length > NAMED_CLUSTERS ? { truncated: true } : {}),
    };
  }
}
