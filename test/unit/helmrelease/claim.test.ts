import { expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL, ORIGIN_UID_LABEL } from '#api/flux/annotations.js';
import type { KubeObject } from '#api/meta.js';
import { helmReleaseResource, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { actionContext } from '#controllers/helmrelease/actions/context.js';
import { claimBeforeMove, claimedRevisions } from '#controllers/helmrelease/claim.js';
import { mayUninstall } from '#controllers/helmrelease/may-uninstall.js';
import type { HelmRelease, HelmReleaseSpec } from '#controllers/helmrelease/model/types.js';
import { writerOf } from '#controllers/helmrelease/pass.js';
import type { ReleasePass } from '#controllers/helmrelease/prepare.js';
import { encodeRelease } from '#controllers/helmrelease/release-codec.js';
import { leaveOldTarget } from '#controllers/helmrelease/uninstall.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { KeptStatus } from '#engine/flux/write-status.js';
import { ConflictError, TransientError } from '#lib/errors.js';
import type { Kube } from '#runtime/client/kube.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { Member } from '#engine/member/member.js';
import { createLogger } from '#runtime/process/log.js';
import { MemoryKube } from '../../combination/world/client.js';
import { MemoryServer } from '../../combination/world/server.js';
import { helmRelease, record, snapshot } from './model/builders.js';

const NAMESPACE = 'shop';
const [MADE, DEPLOYED, RESTORED] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-02-01T00:00:00Z'];

const history = [snapshot({ namespace: NAMESPACE, lastDeployed: DEPLOYED })];

interface Said {
  readonly status?: HelmReleaseStatus;
  readonly metadata?: Partial<HelmRelease['metadata']>;
  readonly spec?: Partial<HelmReleaseSpec>;
}

/** HelmRelease shop/web with release web. Its UID is `here`, on another host or before a restore `there`. */
function webOf({ status = {}, metadata = {}, spec = {} }: Said): HelmRelease {
  const own = { name: 'web', namespace: NAMESPACE, uid: 'here', creationTimestamp: MADE };
  return helmRelease(spec, { metadata: { ...own, ...metadata }, status });
}

const own = { status: { uid: 'here', storageNamespace: NAMESPACE, history } };
const restored = {
  status: { uid: 'there', storageNamespace: NAMESPACE, history },
  metadata: { creationTimestamp: RESTORED },
};

/** A client with the permissions on Secrets that docs/helm.md asks for. */
class Bounded extends MemoryKube {
  override patch<T extends KubeObject>(...[type, ...more]: Parameters<Kube['patch']>): Promise<T> {
    if (type === secretResource) throw new TransientError('secrets is forbidden: cannot patch resource');
    return super.patch(type, ...more);
  }
}

/** A cluster with HelmReleases and the Secrets of releases, as Helm keeps them. */
class World {
  readonly #server = new MemoryServer(() => 0);
  readonly #kube = new Bounded(this.#server, 'engine');

  /** A revision that the HelmRelease with this UID made. */
  store(version: number, uid: string, { status = 'deployed', name = 'web' } = {}): void {
    const labels = {
      ...{ owner: 'helm', name, status, version: String(version) },
      ...{ [ORIGIN_NAME_LABEL]: 'web', [ORIGIN_NAMESPACE_LABEL]: NAMESPACE, [ORIGIN_UID_LABEL]: uid },
    };
    const metadata = { name: `sh.helm.release.v1.${name}.v${version}`, namespace: NAMESPACE, labels };
    const data = { release: encodeRelease(record({ name, version, namespace: NAMESPACE })) };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data };
    this.#server.restore(secretResource, secret);
  }

  /** The marks of all revisions that there are. */
  marks(): Record<string, string | undefined> {
    const marks = this.#server
      .list(secretResource)
      .map(({ metadata: { name, labels } }) => [name.slice('sh.helm.release.v1.'.length), labels?.[ORIGIN_UID_LABEL]]);
    return Object.fromEntries(marks) as Record<string, string | undefined>; // pairs of these
  }

  pass(said: Said, chart = 'web'): ReleasePass {
    this.#server.restore(helmReleaseResource, webOf(said));
    const release = this.#server.get(helmReleaseResource, { name: 'web', namespace: NAMESPACE }) as HelmRelease; // as it was put there
    const kube = this.#kube;
    const status = new KeptStatus<HelmReleaseStatus>({ ...writerOf({ kube }), object: release }, release.status ?? {});
    const pass = {
      ...{ release, status, kube, signal: new AbortController().signal, now: () => Date.parse(RESTORED) },
      ...{ releases: { byIndex: () => [] }, inputs: { chart: { metadata: { name: chart } } } },
      ...{ secrets: new SecretTexts(), log: createLogger('silent'), events: { record: () => undefined } },
    } as unknown as ReleasePass; // as much of it as is needed
    const member = { kube } as unknown as Member; // nothing else is asked
    const isDry = release.metadata.annotations !== undefined;
    const at = { member: isDry ? dryRunMember(member) : member, target: desiredTarget(release) };
    return { ...pass, context: actionContext(pass, at) };
  }
}

test('a dry run of a restored HelmRelease neither marks its release nor says that it has it', async () => {
  const world = new World();
  world.store(1, 'there');
  const annotations = { [DRY_RUN_ANNOTATION]: 'true' };
  const dry = world.pass({ ...restored, metadata: { ...restored.metadata, annotations } });
  await claimedRevisions(dry);
  expect([world.marks(), dry.status.current.uid]).toEqual([{ 'web.v1': 'there' }, 'there']);
  const then = world.pass({ ...restored, status: dry.status.current });
  await claimedRevisions(then);
  expect([world.marks(), then.status.current.uid]).toEqual([{ 'web.v1': 'here' }, 'here']);
});

test('a revision that changed since it was read is not marked', async () => {
  const world = new World();
  world.store(1, 'there');
  const { context } = world.pass(restored);
  const [revision] = await context.storage.revisions();
  world.store(1, 'elsewhere');
  await expect(revision && context.storage.mark(revision)).rejects.toThrow(ConflictError);
  expect(world.marks()).toEqual({ 'web.v1': 'elsewhere' });
});

/** As `helm rollback web 1`, which copies the labels of that revision. */
function rollBack(world: World, version: number): void {
  world.store(version, world.marks()['web.v1'] ?? '');
}

test('what helm rolls back stays with one that was created again after an uninstall with keepHistory', async () => {
  const world = new World();
  world.store(1, 'there', { status: 'superseded' });
  world.store(2, 'there', { status: 'uninstalled' });
  const first = world.pass({});
  await claimedRevisions(first);
  expect([world.marks(), first.status.current.uid]).toEqual([{ 'web.v1': 'here', 'web.v2': 'here' }, 'here']);
  world.store(3, 'here');
  rollBack(world, 4);
  await expect(claimedRevisions(world.pass({ status: first.status.current }))).resolves.toHaveLength(4);
});

test('one that has lost its release marks nothing of it, and may install it once it is uninstalled', async () => {
  const world = new World();
  world.store(1, 'there', { status: 'uninstalled' });
  const lost = world.pass(own);
  await expect(claimedRevisions(lost)).resolves.toHaveLength(1);
  expect([world.marks(), lost.status.current.uid]).toEqual([{ 'web.v1': 'there' }, 'here']);
});

test.each([
  ['another chart', {}, 'podinfo', 'another one (chart name web -> podinfo)'],
  ['another namespace', { targetNamespace: 'other' }, 'web', 'another one (target namespace shop -> other)'],
])('one that was created again does not replace its release: %s', async (_, spec, chart, why) => {
  const world = new World();
  world.store(1, 'there');
  const pass = world.pass({ spec: { storageNamespace: NAMESPACE, releaseName: 'web', ...spec } }, chart);
  await expect(claimedRevisions(pass)).rejects.toThrow(why);
  expect(world.marks()).toEqual({ 'web.v1': 'there' });
});

const MOVED = { releaseName: 'new' };

test('a release does not leave its place for one that another host continues', async () => {
  const world = new World();
  world.store(1, 'here');
  world.store(1, 'there', { name: 'new' });
  const moving = world.pass({ ...own, spec: MOVED });
  await expect(leaveOldTarget(moving)).rejects.toThrow('another HelmRelease shop/web continues release new');
  expect(world.marks()).toEqual({ 'web.v1': 'here', 'new.v1': 'there' });
});

test('a release that has left its place has had none at its new one', async () => {
  const world = new World();
  world.store(1, 'here');
  const left = await leaveOldTarget(world.pass({ ...own, spec: MOVED }));
  expect([world.marks(), left?.status]).toEqual([{}, { ...left?.status, history: undefined, uid: undefined }]);
  world.store(1, 'there', { name: 'new' });
  const then = world.pass({ status: left?.status ?? {}, spec: MOVED });
  await claimedRevisions(then);
  expect([world.marks(), then.status.current.uid]).toEqual([{ 'new.v1': 'here' }, 'here']);
});

test('a restored release that moves is claimed at its old place, and uninstalled there', async () => {
  const world = new World();
  world.store(1, 'there');
  const left = await leaveOldTarget(world.pass({ ...restored, spec: MOVED }));
  expect([world.marks(), left?.events]).toEqual([{}, [expect.objectContaining({ reason: 'UninstallSucceeded' })]]);
});

test('a release that another host continues does not move', async () => {
  const world = new World();
  world.store(1, 'there');
  const moving = world.pass({ ...own, spec: MOVED });
  await expect(leaveOldTarget(moving)).rejects.toThrow('another HelmRelease shop/web continues release web');
  expect([world.marks(), moving.status.current.conditions]).toEqual([{ 'web.v1': 'there' }, undefined]);
});

test.each([
  ['with keepHistory', 'uninstalled'],
  ['without keepHistory', undefined],
])('a release that another host moves %s is not taken from it at its new place', async (_, status) => {
  const world = new World();
  if (status !== undefined) world.store(1, 'there', { status });
  const left = await leaveOldTarget(world.pass({ ...own, spec: MOVED }));
  world.store(1, 'there', { name: 'new' });
  const then = world.pass({ status: left?.status ?? {}, spec: MOVED });
  await expect(claimedRevisions(then)).rejects.toThrow('another HelmRelease shop/web continues release new');
  expect(world.marks()).toMatchObject({ 'new.v1': 'there' });
});

test('a dry run says that a restored release that moves is uninstalled', async () => {
  const world = new World();
  world.store(1, 'there');
  const annotations = { [DRY_RUN_ANNOTATION]: 'true' };
  const pass = world.pass({ ...restored, metadata: { ...restored.metadata, annotations } });
  await claimBeforeMove(pass, pass.context);
  expect(await mayUninstall(pass, pass.context, 'moved')).toMatchObject({ allowed: true });
  expect(world.marks()).toEqual({ 'web.v1': 'there' });
});
