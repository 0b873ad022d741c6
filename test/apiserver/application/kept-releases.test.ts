import { afterEach, describe, expect, it } from '@jest/globals';
import { configMapResource, eventResource, namespaceResource, secretResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { conditionOf, createHarness, type Harness, type HarnessOptions } from '../helmrelease/harness.js';
import { PLAIN } from '../helmrelease/charts.js';
import { eventually, makeNamespace } from '../../support/world.js';
import { repository } from './harness.js';
import { runApplications } from './with-sources.js';

const HELD = 'test/held';
const UID_LABEL = 'gitops.kubesphere.io/application-uid';
/** The garbage collector looks for new kinds every 30 s. */
const COLLECTION_MS = 180_000;
const TEST_MS = 600_000;

interface Recorded extends KubeObject {
  readonly reason: string;
  readonly message: string;
}

type Policy = 'Delete' | 'Orphan';
type Deployed = Readonly<Record<'host' | 'member', readonly string[]>>;

/** An Application with a release on the host outside its namespace, and one on a member. Both controllers run. */
class Story {
  readonly #harness: Harness;
  readonly #target: string;
  #running: { stop(): Promise<void> }[] = [];

  private constructor(harness: Harness) {
    this.#harness = harness;
    this.#target = `${harness.namespace}-prod`;
  }

  static async begin(policy: Policy, options: HarnessOptions = {}): Promise<Story> {
    const harness = await createHarness('kept', options);
    const story = new Story(harness);
    await harness.publish('plain', '1.0.0', PLAIN);
    await makeNamespace(harness.host, story.#target);
    await harness.host.create(helmRepositoryResource, repository('charts', harness.namespace));
    await story.start();
    await story.apply(policy);
    await eventually(async () => {
      expect(conditionOf(await story.application(), 'Ready')).toMatchObject({ status: 'True', reason: 'AllReady' });
    });
    return story;
  }

  get host(): Kube {
    return this.#harness.host;
  }

  get namespace(): string {
    return this.#harness.namespace;
  }

  async start(): Promise<void> {
    this.#running = [await this.#harness.start(), runApplications(this.host, this.namespace)];
  }

  async stop(): Promise<void> {
    for (const running of this.#running.splice(0)) await running.stop();
  }

  apply(deletionPolicy: Policy): Promise<Application> {
    const { namespace } = this;
    const member = { kubeConfig: { secretRef: { name: 'member' } } };
    const deploy = [
      { destination: { targetNamespace: this.#target }, releaseName: 'web' },
      { destination: { targetNamespace: namespace, ...member }, releaseName: 'web' },
    ];
    const config = { helmRelease: { chart: { chart: 'plain', version: '1.0.0' }, deploy } };
    const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;
    const application: Application = {
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'shop', namespace },
      spec: { kind: 'fluxcd', deletionPolicy, fluxApp: { spec: { source, config } } },
    };
    return this.host.apply(applicationResource, application, { fieldManager: 'user', force: true });
  }

  application(): Promise<Application | undefined> {
    return this.host.get<Application>(applicationResource, { name: 'shop', namespace: this.namespace });
  }

  async children(): Promise<HelmRelease[]> {
    const labelSelector = UID_LABEL;
    return (await listAll<HelmRelease>(this.host, helmReleaseResource, { namespace: this.namespace, labelSelector }))
      .items;
  }

  /** Returns the UIDs of the installed objects, and the revisions in Helm's storage. */
  async deployed(): Promise<Deployed> {
    const { host, member } = this.#harness;
    return { host: await installedIn(host, this.#target), member: await installedIn(member, this.namespace) };
  }

  /** Removes the finalizers of an object, like an impatient user. */
  async force(type: ResourceType, { metadata }: KubeObject): Promise<void> {
    await this.host.patch(type, metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
  }

  /** Sets the finalizers of the member's credential. One of them keeps it while its namespace is being deleted. */
  async holdSecret(finalizers: string[]): Promise<void> {
    const ref = { name: 'member', namespace: this.namespace };
    await this.host.patch(secretResource, ref, { type: 'merge', body: { metadata: { finalizers } } });
  }

  async deleteNamespace(): Promise<void> {
    await this.host.delete(namespaceResource, { name: this.namespace });
  }

  async untilChildrenLeave(): Promise<void> {
    await eventually(
      async () => {
        const staying = (await this.children()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        expect(staying.map(({ metadata }) => metadata.name)).toEqual([]);
      },
      { timeoutMs: COLLECTION_MS },
    );
  }

  async untilChildrenAreGone(): Promise<void> {
    await eventually(async () => expect((await this.children()).map(({ metadata }) => metadata.name)).toEqual([]), {
      timeoutMs: COLLECTION_MS,
    });
  }

  /** The messages of events with this reason. */
  async events(reason: string): Promise<string[]> {
    await this.#harness.eventsWritten();
    const { items } = await listAll<Recorded>(this.host, eventResource, { namespace: this.namespace });
    return items.flatMap((event) => (event.reason === reason ? [event.message] : []));
  }

  async end(): Promise<void> {
    await this.stop();
    const application = await this.application();
    if (application !== undefined) {
      await this.host.delete(applicationResource, application.metadata);
      await this.force(applicationResource, application).catch(() => undefined);
    }
    await this.holdSecret([]).catch(() => undefined);
    await this.#harness.close();
  }
}

/** UIDs of the chart's objects, and names of Helm's records. */
async function installedIn(kube: Kube, namespace: string): Promise<string[]> {
  const made = await kube.get(configMapResource, { name: 'web', namespace });
  const { items } = await listAll(kube, secretResource, { namespace, labelSelector: 'owner=helm' });
  return [...(made === undefined ? [] : [made.metadata.uid ?? '']), ...items.map(({ metadata }) => metadata.name)];
}

/** An object as a backup tool restores it: without status and without the fields that the server sets. */
function restored<T extends KubeObject>({
  apiVersion,
  kind,
  metadata,
  ...rest
}: T & { readonly spec?: object }): KubeObject {
  const { name, namespace, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const kept = { name, namespace, labels, annotations, finalizers, ownerReferences };
  return { apiVersion, kind, metadata: kept, ...(rest.spec === undefined ? {} : { spec: rest.spec }) };
}

const stories: Story[] = [];
afterEach(async () => {
  for (const story of stories.splice(0)) await story.end();
}, TEST_MS);

async function begin(policy: Policy, options?: HarnessOptions): Promise<Story> {
  const story = await Story.begin(policy, options);
  stories.push(story);
  return story;
}

describe('when its namespace is deleted, on a real API server', () => {
  const forced = async (story: Story): Promise<void> => {
    const application = await story.application();
    if (application !== undefined) await story.force(applicationResource, application);
    await eventually(async () => expect(await story.application()).toBeUndefined());
  };

  it.each<[string, Policy, (story: Story) => Promise<unknown>, (story: Story) => Promise<unknown>]>([
    ['an Application with the policy Orphan', 'Orphan', () => Promise.resolve(), () => Promise.resolve()],
    ['one that is gone before its children', 'Orphan', () => Promise.resolve(), forced],
    ['one whose policy changed too late', 'Delete', (story) => story.apply('Orphan'), () => Promise.resolve()],
  ])(
    '%s leaves its releases on the host and on members',
    async (_, policy, edit, meanwhile) => {
      const story = await begin(policy);
      const before = await story.deployed();
      expect(before).toMatchObject({ host: [expect.anything(), expect.anything()], member: { length: 2 } });
      await story.holdSecret([HELD]);
      await story.stop();
      await edit(story);
      await story.deleteNamespace();
      await story.untilChildrenLeave();
      await meanwhile(story);
      await story.start();
      await story.untilChildrenAreGone();
      expect(await story.deployed()).toEqual(before);
      await eventually(async () => expect(await story.application()).toBeUndefined());
    },
    TEST_MS,
  );

  it(
    'an Application with the policy Orphan leaves its releases while the controller runs',
    async () => {
      const story = await begin('Orphan');
      const before = await story.deployed();
      await story.holdSecret([HELD]);
      await story.deleteNamespace();
      await story.untilChildrenAreGone();
      expect(await story.deployed()).toEqual(before);
    },
    TEST_MS,
  );

  it(
    'an Application with the policy Delete uninstalls its releases',
    async () => {
      const story = await begin('Delete');
      await story.holdSecret([HELD]);
      await story.deleteNamespace();
      await story.untilChildrenAreGone();
      expect(await story.deployed()).toEqual({ host: [], member: [] });
    },
    TEST_MS,
  );
});

describe('children with an owner that does not exist, on a real API server', () => {
  /** Loses everything on the host, and restores it from a backup while no controller runs. */
  const restore = async (story: Story, withApplication: boolean): Promise<void> => {
    const children = await story.children();
    const application = await story.application();
    if (application === undefined) throw new Error('no Application');
    for (const child of children) {
      await story.force(helmReleaseResource, child);
      await story.host.delete(helmReleaseResource, child.metadata);
    }
    await story.force(applicationResource, application);
    await story.host.delete(applicationResource, application.metadata);
    await eventually(async () => expect([...(await story.children()), await story.application()]).toEqual([undefined]));
    if (withApplication) await story.host.create(applicationResource, restored(application));
    for (const child of children) await story.host.create(helmReleaseResource, restored(child));
  };

  it(
    'are collected after a restore without an uninstall, and their releases go on',
    async () => {
      const story = await begin('Delete');
      const before = await story.deployed();
      const old = (await story.children()).map(({ metadata }) => metadata.uid);
      await story.stop();
      await restore(story, true);
      await story.untilChildrenLeave();
      await story.start();
      await eventually(
        async () => {
          expect(conditionOf(await story.application(), 'Ready')).toMatchObject({ status: 'True', reason: 'AllReady' });
          const children = await story.children();
          expect(children.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
          expect(children.filter(({ metadata }) => old.includes(metadata.uid))).toEqual([]);
        },
        { timeoutMs: COLLECTION_MS },
      );
      // The objects are the same. The new children do not know the release, so they upgrade it once.
      expect(await story.deployed()).toEqual({
        host: [...before.host, expect.stringContaining('.v2')],
        member: [...before.member, expect.stringContaining('.v2')],
      });
      expect(await story.events('UninstallSucceeded')).toEqual([]);
      const skipped = await story.events('UninstallSkipped');
      expect(skipped).toHaveLength(2);
      expect(skipped[0]).toMatch(
        /^Skipping Helm uninstall of release \S+\/web: its owner references name an Application that does not exist, as after .*; to uninstall it, run "helm uninstall web --namespace \S+" on its cluster$/,
      );
    },
    TEST_MS,
  );

  it(
    'wait while it cannot be told, and stay without their Application, too',
    async () => {
      let isDown = true;
      const get: Kube['get'] = (type) => Promise.reject(new TransientError(`get ${type.kind}: no answer`));
      const through = (kube: Kube): Kube =>
        new Proxy(kube, {
          get(target, property): unknown {
            const value: unknown = Reflect.get(target, property);
            if (typeof value !== 'function') return value;
            const method = value.bind(target) as Kube['get'];
            if (property !== 'get') return method;
            const answer: Kube['get'] = (type, ref, options) =>
              isDown && type === applicationResource ? get(type, ref) : method(type, ref, options);
            return answer;
          },
        });
      const story = await begin('Delete', { through });
      const before = await story.deployed();
      await story.stop();
      await restore(story, false);
      await story.untilChildrenLeave();
      await story.start();
      await eventually(async () => {
        const reasons = (await story.children()).map((child) => conditionOf(child, 'Ready'));
        expect(reasons).toEqual([expect.objectContaining({ reason: 'OwnerUnknown' }), expect.anything()]);
        expect(reasons[1]?.reason).toBe('OwnerUnknown');
        expect(reasons[0]?.message).toMatch(/Application \S+\/shop could not be read, .*: get Application: no answer$/);
      });
      isDown = false;
      await story.untilChildrenAreGone();
      expect(await story.deployed()).toEqual(before);
    },
    TEST_MS,
  );

  it(
    'go on with an uninstall that had begun before their Application disappeared',
    async () => {
      const story = await begin('Delete');
      const ref = { name: 'member', namespace: story.namespace };
      const credential = await story.host.get<KubeObject & { data: { value: string } }>(secretResource, ref);
      const give = (value: string | undefined) =>
        story.host.patch(secretResource, ref, { type: 'merge', body: { data: { value } } });
      await give(Buffer.from('nothing').toString('base64'));
      await story.host.delete(applicationResource, { name: 'shop', namespace: story.namespace });
      await eventually(async () => {
        const [child, ...others] = await story.children();
        expect(others).toEqual([]);
        expect(conditionOf(child, 'Ready')?.message).toMatch(/^cannot uninstall the release/);
      });
      const application = await story.application();
      await story.force(applicationResource, application!);
      await story.apply('Delete');
      await give(credential?.data.value);
      await eventually(async () => expect(await story.events('UninstallSucceeded')).toHaveLength(2), {
        timeoutMs: COLLECTION_MS,
      });
      expect(await story.events('UninstallSkipped')).toEqual([]);
    },
    TEST_MS,
  );
});
