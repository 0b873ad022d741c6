import omit from 'lodash/omit.js';
import { RELEASE_HELD } from '#api/flux/conditions.js';
import { helmReleaseResource, type HelmRelease, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Child, ChildStatus } from '#controllers/application/model/child/types.js';
import { mayLetGo } from '#engine/flux/target-cluster.js';
import { mayGoAlong } from '#engine/flux/installed.js';
import { stalledBy, withoutConditions } from '#engine/flux/model/progress.js';
import {
  currentTarget,
  desiredTarget,
  reasonToMove,
  reasonToReplace,
  type ReleaseTarget,
} from '#engine/flux/model/release-target.js';
import { holdersOf, isAtTarget, sharersOf, whyTaken } from '#controllers/helmrelease/model/same-target.js';
import { digestOf } from '#lib/hash.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import { ControllerError, TerminalError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { chartOf as chartNameOf } from '../model/content.js';
import { MemoryKube } from './client.js';
import { EnginePass, memberOf, type EngineWorld } from './engine-base.js';
import type { Installed, Member, Place } from './members.js';
import { chartOf, contentOf, type Chart } from './targets.js';

type Status = HelmReleaseStatus & ChildStatus;

/** A child as the functions of the real engine take it. */
function releaseOf({ child, status }: EnginePass<Status>): HelmRelease {
  return { ...child, status } as unknown as HelmRelease; // a Child is one, with fewer fields named
}

function placeOf({ uid }: Member, { releaseName, namespace, storageNamespace }: ReleaseTarget): Place {
  return { kind: 'HelmRelease', cluster: uid, namespace, storageNamespace, name: releaseName };
}

/** A spec never changes in place. */
const digests = new WeakMap<Child['spec'], string>();

/** All that an upgrade would change. */
function digestFor({ spec }: Child): string {
  const { chart, values, postRenderers } = spec as Readonly<Record<string, unknown>>;
  const digest = digests.get(spec) ?? digestOf({ chart, values, postRenderers });
  digests.set(spec, digest);
  return digest;
}

/** The first of these that is on the cluster, as `firstOnCluster` of the real engine: by what is said, or by labels. */
function firstThere(pass: EnginePass<Status>, place: Place, others: readonly HelmRelease[]): HelmRelease | undefined {
  const release = releaseOf(pass);
  const owner = pass.world.members.workloadOf(place)?.owner;
  const isUnclear = (other: HelmRelease): boolean => isSameCluster(release, other) === undefined;
  return (
    others.find((other) => isSameCluster(release, other) === true) ??
    others.find((other) => isUnclear(other) && keyOf(other.metadata) === owner)
  );
}

/** True if one of these is on the cluster, or has a record there, as `sharerOf` of the real engine. */
function isShared(pass: EnginePass<Status>, place: Place, others: readonly HelmRelease[]): boolean {
  if (firstThere(pass, place, others) !== undefined) return true;
  return others.some((other) => {
    if (isSameCluster(releaseOf(pass), other) !== undefined) return false;
    const storageNamespace = currentTarget(other)?.storageNamespace ?? '';
    return pass.world.members.recordOf({ ...place, storageNamespace })?.owner === keyOf(other.metadata);
  });
}

function releasesIn({ world }: EnginePass<Status>): HelmRelease[] {
  return world.server.list(helmReleaseResource) as HelmRelease[]; // of that kind
}

function requireFreeTarget(pass: EnginePass<Status>, { place }: Attempt): void {
  const release = releaseOf(pass);
  // Flux knows no such rule.
  if (pass.world.isEngineExternal || isAtTarget(release)) return;
  const holder = firstThere(pass, place, holdersOf(release, releasesIn(pass)));
  if (holder === undefined || pass.world.members.recordOf(place)?.owner === pass.key) return;
  throw new TerminalError('TargetTaken', whyTaken(release, holder));
}

function requireUnused(pass: EnginePass<Status>, { owner, place }: Installed): void {
  if (owner === pass.key) return;
  const { name, namespace } = parseKey(owner);
  const other = pass.world.server.get(helmReleaseResource, { name, namespace });
  const why = `release ${place.name} belongs to HelmRelease ${owner}`;
  if (namespace !== pass.child.metadata.namespace) throw new TerminalError('StateError', why);
  if (other !== undefined) throw new TerminalError(RELEASE_HELD, why);
}

/** Refuses a release of another HelmRelease that exists; one that is left alone is taken over if it stays what it is. */
function claim(pass: EnginePass<Status>, recorded: Installed | undefined, chart: Chart): void {
  if (recorded === undefined) return;
  const isKnown = currentTarget(releaseOf(pass)) !== undefined;
  if (recorded.owner === pass.key && isKnown) return;
  requireUnused(pass, recorded);
  const before = {
    target: { ...desiredTarget(releaseOf(pass)), namespace: recorded.place.namespace },
    chartName: chartNameOf(recorded.content),
  };
  const replaces = reasonToReplace(releaseOf(pass), before, chart.name);
  if (replaces !== undefined) throw new TerminalError('StateError', `the release is another one (${replaces})`);
  pass.world.members.handOver(recorded.place, pass.key);
}

/** Uninstalls what moved; a release of somebody else, or none, is left as it is. */
function leaveOldTarget(pass: EnginePass<Status>, member: Member, chart: Chart): void {
  const target = currentTarget(releaseOf(pass));
  const why = reasonToMove(releaseOf(pass), chart.name);
  if (target === undefined || why === undefined) return;
  uninstall(pass, placeOf(member, target), why);
  pass.status = omit(pass.status, 'history');
}

function uninstall(pass: EnginePass<Status>, place: Place, why: string): void {
  const { members } = pass.world;
  const recorded = members.recordOf(place);
  if (recorded?.owner !== pass.key) return;
  const { name: releaseName, namespace, storageNamespace } = place;
  const sharers = sharersOf(releaseOf(pass), { releaseName, namespace, storageNamespace }, releasesIn(pass));
  if (!pass.world.isEngineExternal && isShared(pass, place, sharers)) return;
  members.remove(place, pass.key, pass.record('uninstall', why));
}

function snapshotOf(pass: EnginePass<Status>, target: ReleaseTarget, { name, version }: Chart, status: string) {
  const { now } = pass.moment;
  const last = pass.status.history?.[0];
  return {
    ...{ name: target.releaseName, namespace: target.namespace, version: (last?.version ?? 0) + 1, status },
    ...{ chartName: name, chartVersion: version, configDigest: digestFor(pass.child), digest: '' },
    ...{ firstDeployed: now, lastDeployed: now },
  };
}

/** The present state of a release and the wanted one. */
interface Attempt {
  readonly place: Place;
  readonly target: ReleaseTarget;
  readonly chart: Chart;
  readonly digest: string;
  readonly fails: boolean;
}

function attemptOn(pass: EnginePass<Status>, member: Member): Attempt {
  const chart = chartOf(pass.child);
  const target = desiredTarget(releaseOf(pass));
  const fails = member.broken.has('*') || member.broken.has(chart.version);
  return { place: placeOf(member, target), target, chart, digest: digestFor(pass.child), fails };
}

/** True if the last action left exactly this, here and in the status. */
function isDone(pass: EnginePass<Status>, { place, digest, fails }: Attempt): boolean {
  const recorded = pass.world.members.recordOf(place);
  const known = pass.status.history?.[0]?.configDigest === digest;
  // A successful installation does not fail later. A failed one is tried again once the cluster is mended.
  return known && recorded?.digest === digest && (!recorded.isFailed || fails);
}

function act(pass: EnginePass<Status>, { place, target, chart, digest, fails }: Attempt): void {
  const { members } = pass.world;
  const action = members.recordOf(place) === undefined ? 'install' : 'upgrade';
  const { version } = chart;
  const content = contentOf(pass.child);
  const written = { place, version, content, digest, owner: pass.key, isFailed: fails };
  members.write(written, pass.record(fails ? 'failed' : action, action));
  const before = action === 'install' ? [] : (pass.status.history ?? []);
  const history = [snapshotOf(pass, target, chart, fails ? 'failed' : 'deployed'), ...before].slice(0, 2);
  const { storageNamespace } = target;
  const attempted = { lastAttemptedRevision: version, lastAttemptedReleaseAction: action } as const;
  pass.status = { ...pass.status, history, storageNamespace, ...attempted };
}

function conclude(pass: EnginePass<Status>, { chart, place }: Attempt): void {
  const fails = pass.world.members.recordOf(place)?.isFailed === true;
  const action = pass.status.lastAttemptedReleaseAction ?? 'upgrade';
  const name = action === 'install' ? 'Install' : 'Upgrade';
  const verdict = fails
    ? ({
        status: 'False',
        reason: `${name}Failed`,
        message: `Helm ${action} failed: ${chart.version} is broken`,
      } as const)
    : ({ status: 'True', reason: `${name}Succeeded`, message: `Helm ${action} succeeded` } as const);
  pass.condition({ type: 'Released', ...verdict });
  pass.condition({ type: 'Ready', ...verdict });
  if (fails) {
    const problem = { reason: 'RetriesExceeded', message: `failed to ${action}: no retries are left` };
    pass.status = stalledBy(pass.status, pass.moment, problem);
  } else {
    const settled = withoutConditions(pass.status, 'Reconciling', 'Stalled');
    pass.status = { ...settled, observedGeneration: pass.moment.generation };
  }
}

/** Reconciles one HelmRelease that is being deleted, with the real rules of what stays. */
async function finalize(pass: EnginePass<Status>): Promise<void> {
  const { world, child } = pass;
  if (child.spec.suspend === true) {
    pass.dropFinalizer();
    return;
  }
  const neverActed = pass.status.lastAttemptedReleaseAction === undefined && (pass.status.history ?? []).length === 0;
  try {
    if (await goes(pass)) {
      const target = currentTarget(releaseOf(pass)) ?? desiredTarget(releaseOf(pass));
      uninstall(pass, placeOf(memberOf(child, world), target), 'deleted');
    }
  } catch (error: unknown) {
    if (!(error instanceof ControllerError)) throw error;
    if (!mayLetGo(error, { neverActed })) {
      pass.fail(error, 'UninstallFailed');
      pass.writeStatus();
      return;
    }
  }
  pass.dropFinalizer();
}

async function goes(pass: EnginePass<Status>): Promise<boolean> {
  // Flux knows none of these rules.
  if (pass.world.isEngineExternal) return true;
  const kube = new MemoryKube(pass.world.server, 'engine');
  const asking = { kube, signal: new AbortController().signal };
  const { allowed } = await mayGoAlong(releaseOf(pass), asking);
  return allowed;
}

/** Milliseconds that an action takes on a slow cluster. */
const SLOW_MS = 120_000;

interface Running {
  readonly digest: string;
  readonly sinceMs: number;
}

/** Plays the controller of HelmReleases: one pass over each of them. */
export class HelmEngine {
  readonly #world: EngineWorld;
  /** On slow clusters: what is being done, by HelmRelease. */
  readonly #running = new Map<string, Running>();

  constructor(world: EngineWorld) {
    this.#world = world;
  }

  /** When an action on a slow cluster ends; undefined: none runs. */
  get nextDueMs(): number | undefined {
    const ends = [...this.#running.values()].map(({ sinceMs }) => sinceMs + SLOW_MS);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  async reconcileAll(): Promise<void> {
    for (const object of this.#world.server.list(helmReleaseResource)) {
      const pass = new EnginePass<Status>(this.#world, helmReleaseResource, object as Child);
      if (object.metadata.deletionTimestamp === undefined) this.#release(pass);
      else await finalize(pass);
    }
  }

  #release(pass: EnginePass<Status>): void {
    if (pass.child.spec.suspend === true) {
      this.#running.delete(pass.key);
      return;
    }
    pass.ensureFinalizer();
    try {
      const member = memberOf(pass.child, pass.world);
      const attempt = attemptOn(pass, member);
      requireFreeTarget(pass, attempt);
      claim(pass, pass.world.members.recordOf(attempt.place), attempt.chart);
      if (!this.#isRunning(pass, member, attempt)) {
        leaveOldTarget(pass, member, attempt.chart);
        if (!isDone(pass, attempt)) act(pass, attempt);
        conclude(pass, attempt);
      }
    } catch (error: unknown) {
      this.#running.delete(pass.key);
      pass.fail(error, 'ReconcileError');
    }
    pass.writeStatus();
  }

  /** True while an action runs on a slow cluster; the status says so. */
  #isRunning(pass: EnginePass<Status>, member: Member, attempt: Attempt): boolean {
    const running = this.#running.get(pass.key);
    const isOver = isDone(pass, attempt) || !member.isSlow;
    if (isOver || (running?.digest === attempt.digest && pass.world.nowMs() - running.sinceMs >= SLOW_MS)) {
      this.#running.delete(pass.key);
      return false;
    }
    if (running?.digest !== attempt.digest) {
      this.#running.set(pass.key, { digest: attempt.digest, sinceMs: pass.world.nowMs() });
    }
    pass.progress("Running 'upgrade' action with timeout of 5m0s");
    return true;
  }
}
