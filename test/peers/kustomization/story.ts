import { expect } from '@jest/globals';
import type { Artifact } from '#api/flux/common.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import { namespaceResource } from '#api/core.js';
import { defined } from '#lib/plain.js';
import { runCommand } from '#sandbox/command.js';
import { conditionOf, readerOf } from '../../support/harness.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import type { Pair, Side } from '../pair.js';
import { liveObjects, statusOf, type Live } from '../snapshot.js';
import type { Case, Spec, Step } from './case.js';

const LIMIT_MS = 120_000;
const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
/** Reasons of what comes before the files are read: the revision is none that was attempted. */
const BEFORE_FILES = ['DependencyNotReady', 'ArtifactFailed'];

/** What a user sees of a case at the end of a step. */
export interface Seen {
  readonly step: string;
  readonly objects: Readonly<Record<string, unknown>>;
  readonly statuses: Readonly<Record<string, unknown>>;
}

/** A case on one cluster, whichever engine is at work there. */
export interface Place {
  readonly pair: Pair;
  readonly side: Side;
  readonly subject: Case;
  /** Who begins there. */
  readonly first: 'flux' | 'us';
}

/** Where the case is in its story. */
interface Moment {
  readonly token: string;
  readonly revision: string;
  readonly spec: Spec;
  readonly fails: string | undefined;
}

function namesOf({ name, others = {} }: Case): string[] {
  return [...Object.keys(others), name];
}

export function revisionOf(index: number): string {
  return `main@sha1:${String(index + 1).padStart(40, '0')}`;
}

async function publish({ side, subject: { name } }: Place, artifact: Artifact): Promise<void> {
  const object = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name, namespace: name },
    spec: { interval: '10m', url: 'https://example.com/repository.git' },
  };
  await side.kube.apply(gitRepositoryResource, object, { fieldManager: 'test', force: true });
  const body = { status: { artifact } };
  await side.kube.patch(gitRepositoryResource, object.metadata, { type: 'merge', body }, { subresource: 'status' });
}

/** What every Kustomization says, besides its source and its namespace. */
export const COMMON_SPEC: Spec = { interval: '10m', retryInterval: '2s', timeout: '30s', prune: true };

async function request({ side, subject }: Place, { token, spec }: Moment): Promise<void> {
  for (const name of namesOf(subject)) {
    const object = {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace: subject.name, annotations: { [REQUESTED_AT]: token } },
      spec: defined({
        ...COMMON_SPEC,
        sourceRef: { kind: 'GitRepository' as const, name: subject.name },
        targetNamespace: subject.name,
        ...(name === subject.name ? spec : subject.others?.[name]),
      }),
    };
    await side.kube.apply(kustomizationResource, object, { fieldManager: 'test', force: true });
  }
}

/** Ready as it is now, with this revision. */
function isReadyAt({ metadata, status }: Kustomization, revision: string): boolean {
  return status?.lastAppliedRevision === revision && status.observedGeneration === metadata.generation;
}

function hasTried({ status }: Kustomization, { revision, fails = '' }: Moment): boolean {
  return status?.lastAttemptedRevision === revision || BEFORE_FILES.includes(fails);
}

/** Throws until the request was handled, and has ended as it should. */
function expectEnd(found: Kustomization, moment: Moment): void {
  const { token, revision, fails } = moment;
  const { status, reason } = conditionOf({ status: found.status ?? {} }, 'Ready') ?? {};
  const isEnd =
    fails === undefined
      ? status === 'True' && isReadyAt(found, revision)
      : status === 'False' && reason === fails && hasTried(found, moment);
  if (isEnd && found.status?.lastHandledReconcileAt === token) return;
  throw new Error(`${found.metadata.name} is not at its end: ${JSON.stringify(found.status, null, 1)}`);
}

async function look({ side, subject }: Place): Promise<Live[]> {
  const { name, namespaces = [], kinds } = subject;
  return liveObjects(side.kube, { namespaces: [name, ...namespaces], name }, kinds);
}

async function settle(place: Place, moment: Moment, step: string): Promise<Seen> {
  const { side, subject } = place;
  const { until } = readerOf<Kustomization>(side.kube, kustomizationResource, subject.name);
  const statuses: Record<string, unknown> = {};
  for (const name of namesOf(subject)) {
    const own = name === subject.name ? moment : { ...moment, fails: undefined };
    statuses[name] = statusOf(await until(name, (found) => expectEnd(found, own), LIMIT_MS));
  }
  const objects = Object.fromEntries((await look(place)).map(({ id, content }) => [id, content]));
  return { step, objects, statuses };
}

/**
 * Waits for a pass more: one that an event of the source began may still be under way, and would undo what users do
 * now.
 */
async function rest(place: Place, moment: Moment): Promise<void> {
  const again = { ...moment, token: `${moment.token}-again` };
  await request(place, again);
  await settle(place, again, 'at rest');
}

async function letUsersAct({ pair, side, subject }: Place, { users = [] }: Step): Promise<void> {
  for (const { args, input } of users) {
    const { kubeconfig } = side.cluster;
    const own = args.split(' ').map((argument) => argument.replaceAll('KUBECONFIG', kubeconfig));
    const all = ['--kubeconfig', kubeconfig, '--namespace', subject.name, ...own];
    await runCommand(pair.world.tools.kubectl, all, { input: input === undefined ? '' : JSON.stringify(input) });
  }
}

/**
 * Waits until the engine has the new files. A request could overtake them: it would be a pass over the old ones, which
 * undoes what users did.
 */
async function begun({ side, subject: { name } }: Place, { revision }: Moment): Promise<void> {
  const { until } = readerOf<Kustomization>(side.kube, kustomizationResource, name);
  await until(name, ({ status }) => expect(status?.lastAttemptedRevision).toBe(revision), LIMIT_MS);
}

/** The story of a case on one cluster; returns what was seen after each step. */
export async function tell(place: Place, artifacts: readonly (Artifact | undefined)[]): Promise<Seen[]> {
  const { side, subject } = place;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: subject.name } };
  await side.kube.create(namespaceResource, namespace);
  const seen: Seen[] = [];
  for (const [index, step] of subject.steps.entries()) {
    await letUsersAct(place, step);
    const artifact = artifacts[index];
    const moment = momentOf(place, index);
    if (artifact !== undefined) await publish(place, artifact);
    if (artifact !== undefined && index > 0 && step.users !== undefined) await begun(place, moment);
    await request(place, moment);
    seen.push(await settle(place, moment, step.does));
    if (subject.steps[index + 1]?.users !== undefined) await rest(place, moment);
  }
  return seen;
}

function momentOf({ subject: { steps }, first }: Place, index: number): Moment {
  const past = steps.slice(0, index + 1);
  const last = past.at(-1);
  return {
    token: String(index),
    revision: revisionOf(past.findLastIndex(({ files }) => files !== undefined)),
    spec: past.reduce<Spec>((all, { spec }) => ({ ...all, ...spec }), {}),
    fails: last?.fails ?? (first === 'us' ? last?.weFail : undefined),
  };
}

/** What the engine that comes to the cluster does where the other stopped. */
export interface Handover {
  readonly seen: Seen;
  /** Objects that are others, or have changed, or are gone. */
  readonly changed: readonly string[];
  /** Requests that would change objects, were they not as they should be. */
  readonly writes: readonly string[];
}

/** To be called before the engines change places; returns what to call afterwards. */
export async function beforeHandover(place: Place): Promise<() => Promise<Handover>> {
  const { side, subject } = place;
  const since = await auditPosition(side.cluster);
  const before = await look(place);
  return async () => {
    const moment = { ...momentOf(place, subject.steps.length - 1), token: 'handover' };
    await request(place, moment);
    const seen = await settle(place, moment, 'the other goes on');
    const after = new Map((await look(place)).map(({ id, version }) => [id, version]));
    const changed = before.filter(({ id, version }) => after.get(id) !== version).map(({ id }) => id);
    return { seen, changed, writes: await writesSince(place, since) };
  };
}

/** The engines' own objects, which they report in. */
const REPORTS = ['kustomizations', 'gitrepositories', 'events'];

async function writesSince({ side, subject }: Place, since: number): Promise<string[]> {
  const entries = await auditEntries(side.cluster, since);
  return entries
    .filter(({ objectRef, requestURI }) => {
      const isOfCase = objectRef?.namespace === subject.name || objectRef?.name?.includes(subject.name) === true;
      return isOfCase && !REPORTS.includes(objectRef.resource ?? '') && !requestURI.includes('dryRun=');
    })
    .filter(({ user }) => !user.username.startsWith('system:'))
    .map(({ verb, requestURI, userAgent }) => `${verb} ${requestURI} by ${userAgent}`);
}

/** True if the files of the first step may come back. */
export function mayReturn({ steps, returns = true }: Case): boolean {
  return returns && steps.at(-1)?.fails === undefined;
}

/** A new revision with the files of the first step, by the engine that came later. */
export async function returnTo(place: Place, artifact: Artifact): Promise<Seen> {
  await publish(place, artifact);
  const { steps } = place.subject;
  const moment = { ...momentOf(place, steps.length - 1), revision: artifact.revision, token: 'return' };
  await request(place, moment);
  return settle(place, moment, 'the first files come back');
}

/** Deletes the Kustomizations; returns what is left. */
export async function remove(place: Place): Promise<Seen> {
  const { side, subject } = place;
  for (const name of namesOf(subject).reverse()) {
    const ref = { name, namespace: subject.name };
    await side.kube.delete(kustomizationResource, ref);
    await eventually(
      async () => {
        const found = await side.kube.get(kustomizationResource, ref);
        if (found !== undefined) throw new Error(`still there: ${JSON.stringify(found, null, 1)}`);
      },
      { timeoutMs: LIMIT_MS },
    );
  }
  const objects = Object.fromEntries((await look(place)).map(({ id, content }) => [id, content]));
  return { step: 'it is deleted', objects, statuses: {} };
}
