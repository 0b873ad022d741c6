import { describe, expect, it } from '@jest/globals';
import merge from 'lodash/merge.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { fateOf } from '#queries/views/planned-view.js';
import type { PlannedChild } from '#queries/answers/plans.js';
import type { Planned } from '#queries/plans/planned.js';
import { fixture } from '../../support/fixture.js';
import { auditEntries, auditPosition, eventually, useWorld } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { Harness, putCluster } from '../application/harness.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

interface Setting {
  /** The controller of Applications runs here. */
  readonly applications: Harness;
  readonly console: Console;
  /**
   * May write Applications, and read everything; everything but Secrets; nothing of what is deployed. The last one only
   * reads.
   */
  readonly tokens: Record<'owner' | 'guest' | 'editor' | 'viewer', string>;
}

const WRITE = { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['create', 'update', 'get'] };
const read = (apiGroups: string[]) => ({ apiGroups, resources: ['*'], verbs: ['get', 'list'] });
const FLUX = ['helm.toolkit.fluxcd.io', 'kustomize.toolkit.fluxcd.io', 'source.toolkit.fluxcd.io'];
const RULES = {
  owner: [WRITE, read(['*'])],
  guest: [WRITE, read(['gitops.kubesphere.io', 'apps', ...FLUX])],
  editor: [WRITE, read(['gitops.kubesphere.io'])],
  viewer: [read(['*'])],
};

const setting = fixture<Setting>(
  async () => {
    const applications = await Harness.start();
    const { kube, namespace } = applications;
    const tokens: Record<string, string> = {};
    for (const [name, rules] of Object.entries(RULES)) {
      const { user, token } = await account(kube, namespace, name);
      await grant(kube, name, { namespace, user, rules });
      tokens[name] = token;
    }
    const console = await startConsole(await useWorld(), { kube, namespace });
    return { applications, console, tokens: tokens }; // one for each of RULES
  },
  async ({ applications, console }) => {
    await console.stop();
    await applications.stop();
  },
);

type Who = keyof Setting['tokens'];
interface Preview extends Planned {
  readonly application: string;
  readonly exists: boolean;
}

function ask(who: Who, body: unknown): Promise<Answer> {
  const { console, applications, tokens } = setting;
  const path = `/api/v1/namespaces/${applications.namespace}/preview`;
  return sendDescribed(console.port, path, { method: 'POST', token: tokens[who], body });
}

async function previewFor(who: Who, application: Application): Promise<Preview> {
  const { code, text } = await ask(who, application);
  expect({ code, text }).toMatchObject({ code: 200 });
  return JSON.parse(text) as Preview;
}

function diffPath(name: string): string {
  return `/api/v1/namespaces/${setting.applications.namespace}/applications/${name}/diff`;
}

async function diffOf(name: string, query = ''): Promise<Planned> {
  const { console, tokens } = setting;
  const path = `${diffPath(name)}${query}`;
  const { code, text } = await eventually(async () => {
    const answer = await sendDescribed(console.port, path, { token: tokens.owner });
    expect(answer).toMatchObject({ code: 200 });
    return answer;
  });
  expect(code).toBe(200);
  return JSON.parse(text) as Planned;
}

function byAction(children: readonly PlannedChild[], action: PlannedChild['action']): PlannedChild[] {
  return children.filter((child) => child.action === action);
}

/** Whatever was written in the namespace since then, besides what the controller and dry runs write. */
async function writesSince(position: number): Promise<unknown[]> {
  const { host, namespace } = setting.applications;
  const entries = await auditEntries(host, position);
  return entries.filter(
    ({ objectRef, requestURI }) => objectRef?.namespace === namespace && !requestURI.includes('dryRun=All'),
  );
}

const ofChild = ({ metadata, kind, spec }: Pick<Child, 'metadata' | 'kind' | 'spec'>) => ({
  name: metadata.name,
  kind,
  values: spec['values'],
  releaseName: spec.releaseName,
});

describe('the preview of an Application that does not exist', () => {
  it('has the children that the controller then creates, and writes nothing', async () => {
    const { applications } = setting;
    await putCluster(applications, 'one', { tier: 'new', env: 'prod' });
    await putCluster(applications, 'two', { tier: 'new', env: 'test' });
    const selector = { ...selecting({ tier: 'new' }), values: { env: '${{ cluster.labels.env }}' } };
    const wanted = applications.wanted('fresh', [deploy('fresh', 'eu', { values: { replicas: 2 } }), selector]);
    const since = await auditPosition(applications.host);
    const { exists, problems, children } = await previewFor('owner', wanted);
    expect({ exists, problems }).toEqual({ exists: false, problems: [] });
    expect(children.map(({ cluster, action }) => [cluster, action])).toEqual([
      ['eu', 'create'],
      ['one', 'create'],
      ['two', 'create'],
    ]);
    expect(await writesSince(since)).toEqual([]);
    expect(await applications.find('fresh')).toBeUndefined();

    await applications.apply(wanted);
    const made = await applications.eventuallyHas('fresh', 3);
    const planned = children.flatMap(({ object }) => (object === undefined ? [] : [ofChild(object as Child)]));
    expect(planned.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(made.map(ofChild));
  });

  it('says by field what the API server refuses', async () => {
    const bad = setting.applications.wanted('bad', [deploy('bad', 'eu', { interval: 'soon' })]);
    const { problems, children } = await previewFor('owner', bad);
    const field = 'spec.fluxApp.spec.config.helmRelease.deploy[0].interval';
    expect([problems, children]).toEqual([[{ field, message: expect.stringContaining('soon') }], []]);
  });

  it('says by field what the controller rejects, and what becomes of the rest', async () => {
    const twice = deploy('twice', 'eu');
    const { problems, children } = await previewFor(
      'owner',
      setting.applications.wanted('twice', [twice, twice, deploy('twice', 'us')]),
    );
    const field = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
    expect(problems).toEqual([{ field, message: expect.stringContaining('deploy[1] define the same') }]);
    expect(byAction(children, 'create').map(({ cluster }) => cluster)).toEqual(['us']);
    expect(byAction(children, 'wait').map(({ cluster }) => cluster)).toEqual(['eu', 'eu']);
  });
});

describe('the preview of a change', () => {
  it('has what is created, changed and deleted, with the fields, and writes nothing', async () => {
    const { applications } = setting;
    const before = (values: object) => deploy('moved', 'eu', { values: { ...values, kept: 1 }, timeout: '3m' });
    await applications.put('moved', [before({ replicas: 1, old: true }), deploy('moved', 'us')]);
    await applications.eventuallyHas('moved', 2);
    await eventually(async () => expect((await applications.read('moved')).status?.destinations).toHaveLength(2));
    const wanted = applications.wanted('moved', [deploy('moved', 'eu', { values: { replicas: 2, kept: 1 } })]);
    const since = await applications.position('moved');
    const { exists, children } = await previewFor('owner', wanted);
    expect(exists).toBe(true);
    const [changed] = byAction(children, 'change');
    expect(changed).toMatchObject({ cluster: 'eu', namespace: 'moved', release: 'moved' });
    expect(changed?.fields).toEqual(
      expect.arrayContaining([
        { path: '/spec/values/replicas', old: 1, new: 2 },
        { path: '/spec/values/old', old: true },
        { path: '/spec/timeout', old: '3m' },
      ]),
    );
    expect(changed?.fields?.every(({ path }) => !path.includes('kept'))).toBe(true);
    expect(byAction(children, 'delete')).toMatchObject([{ cluster: 'us', entry: '', release: 'moved' }]);
    expect(children).toHaveLength(2);
    expect(await writesSince(since)).toEqual([]);
  });

  it('names what is reinstalled with a later stage of a rollout, too', async () => {
    const { applications } = setting;
    const entries = (more: object) => ['eu', 'us'].map((name) => deploy('staged', name, { name, ...more }));
    await applications.put('staged', entries({}));
    await applications.eventuallyHas('staged', 2);
    const fates = async (more: object): Promise<unknown> => {
      const rollout = { stages: [{ name: 'canary', clusters: { names: ['eu'] } }] };
      // Nothing waits for a version.
      const fluxApp = { spec: { config: { helmRelease: { chart: { version: '1.0.0' } } } } };
      const wanted = merge(applications.wanted('staged', entries(more)), { spec: { rollout, fluxApp } });
      const { children } = await previewFor('owner', wanted);
      return children.map((child) => [child.cluster, fateOf(child)]);
    };
    expect(await fates({ values: { a: 1 } })).toEqual([
      ['eu', 'change'],
      ['us', 'wait'],
    ]);
    expect(await fates({ releaseName: 'other' })).toEqual([
      ['eu', 'reinstallLater'],
      ['us', 'reinstallLater'],
    ]);
  });

  it('of nothing keeps everything', async () => {
    const { applications } = setting;
    const entries = [deploy('same', 'eu')];
    await applications.put('same', entries);
    await applications.eventuallyHas('same', 1);
    const { children } = await previewFor('owner', applications.wanted('same', entries));
    expect(children).toMatchObject([{ action: 'keep', why: 'unchanged' }]);
  });
});

describe('who may not read all', () => {
  it('takes Secrets for existing, and is told so', async () => {
    const wanted = setting.applications.wanted('unread', [deploy('unread', 'nowhere')]);
    const { children, notes } = await previewFor('guest', wanted);
    expect(children).toMatchObject([{ cluster: 'nowhere', action: 'create' }]);
    expect(children[0]).not.toHaveProperty('problems');
    expect(notes).toContain('You may not list secrets: those that are named are taken for existing.');
    const known = await previewFor('owner', wanted);
    const lack = expect.stringContaining(`Secret ${setting.applications.namespace}/nowhere does not exist: create it`);
    expect(known.children).toMatchObject([{ cluster: 'nowhere', action: 'create', problems: [lack] }]);
  });

  it('is told that a namespace was not asked for, or that it does not exist', async () => {
    const { applications } = setting;
    const wanted = applications.wanted('homeless', [deploy('no-such-namespace')]);
    const { children, notes } = await previewFor('owner', wanted);
    expect(children[0]).not.toHaveProperty('problems');
    expect(notes).toContainEqual(
      expect.stringMatching(/^Not checked: whether namespace no-such-namespace exists on .*forbidden/),
    );
    const { kube, namespace } = applications;
    const { user } = await account(kube, namespace, 'owner');
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
    await grant(kube, `${namespace}-namespaces`, { user, rules });
    const known = await previewFor('owner', wanted);
    const lack = expect.stringMatching(
      /^namespace no-such-namespace does not exist on .* set .*createNamespace: true$/,
    );
    expect(known.children).toMatchObject([{ action: 'create', problems: [lack] }]);
  });

  it.each<[Who, RegExp]>([
    ['editor', /You may not read .*(helmreleases|kustomizations)/],
    ['viewer', /cannot create resource \\"applications\\"/],
  ])('nor change is refused: %s', async (who, says) => {
    const answer = await ask(who, setting.applications.wanted('refused', [deploy('refused')]));
    expect(answer).toMatchObject({ code: 403, text: expect.stringMatching(says) });
    expect(
      await setting.applications.kube.get(applicationResource, {
        name: 'refused',
        namespace: setting.applications.namespace,
      }),
    ).toBeUndefined();
  });
});

describe('the difference of an Application', () => {
  it('is what somebody else changed, and what the engine says of its children', async () => {
    const { applications } = setting;
    await applications.put('live', [deploy('live', 'eu', { timeout: '3m' }), deploy('live', 'us')]);
    const [first, second] = await applications.eventuallyHas('live', 2);
    await applications.pause();
    const body = { spec: { timeout: '9m' } };
    const eu = [first, second].find((child) => child?.spec['timeout'] === '3m');
    const us = [first, second].find((child) => child !== eu);
    await applications.kube.patch(helmReleaseResource, eu?.metadata ?? { name: '' }, { type: 'merge', body });
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const drifted = { type: 'Drifted', status: 'True', reason: 'Drifted', message: 'Deployment x', lastTransitionTime };
    const status = { observedGeneration: us?.metadata.generation, conditions: [drifted] };
    const object = { ...us, status } as unknown as Child;
    await applications.kube.patch(
      helmReleaseResource,
      us?.metadata ?? { name: '' },
      { type: 'merge', body: { status: object.status } },
      { subresource: 'status' },
    );
    const { children, published } = await diffOf('live');
    expect(byAction(children, 'change')).toMatchObject([
      { cluster: 'eu', fields: [{ path: '/spec/timeout', old: '9m', new: '3m' }] },
    ]);
    expect(published).toEqual([{ kind: 'HelmRelease', name: us?.metadata.name, cluster: 'us', drift: 'Deployment x' }]);

    const ofEu = await diffOf('live', '?cluster=eu');
    expect(ofEu).toMatchObject({ children: [{ cluster: 'eu', action: 'change' }], published: [] });
    const token = setting.tokens.owner;
    const answer = await sendDescribed(setting.console.port, `${diffPath('live')}?cluster=asia`, { token });
    expect(answer).toMatchObject({ code: 400, text: expect.stringContaining('nothing is deployed there') });
  });
});
