import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { fateOf } from '#queries/views/planned-view.js';
import type { PlannedApplication } from '#queries/answers/plans.js';
import { fixture } from '../../support/fixture.js';
import { auditEntries, auditPosition, eventually, useWorld } from '../../support/world.js';
import { deploy, SOURCE, type Deploy } from '../../unit/application/model/builders.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { Harness, putCluster } from '../application/harness.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

interface Setting {
  /** The controller of Applications runs here. */
  readonly applications: Harness;
  readonly console: Console;
  /** May patch Applications, and read everything; may only read; may patch them, and not read what is deployed. */
  readonly tokens: Record<'owner' | 'viewer' | 'blind', string>;
}

const GROUP = ['gitops.kubesphere.io'];
const PATCH = { apiGroups: GROUP, resources: ['applications'], verbs: ['get', 'patch'] };
const read = (apiGroups: string[]) => ({ apiGroups, resources: ['*'], verbs: ['get', 'list'] });
const RULES = { owner: [PATCH, read(['*'])], viewer: [read(['*'])], blind: [PATCH, read([...GROUP, 'apps'])] };

const setting = fixture<Setting>(
  async () => {
    const applications = await Harness.start({ removalDelayMs: 1 });
    const { kube, namespace } = applications;
    const tokens = { owner: '', viewer: '', blind: '' };
    for (const [name, rules] of Object.entries(RULES)) {
      const { user, token } = await account(kube, namespace, name);
      await grant(kube, name, { namespace, user, rules });
      Object.assign(tokens, { [name]: token });
    }
    return { applications, tokens, console: await startConsole(await useWorld(), { kube, namespace }) };
  },
  async ({ applications, console }) => {
    await console.stop();
    await applications.stop();
  },
);

function ask(path: string, body: object = {}, who: keyof Setting['tokens'] = 'owner'): Promise<Answer> {
  const { console, applications, tokens } = setting;
  const url = `/api/v1/namespaces/${applications.namespace}/applications/${path}`;
  return sendDescribed(console.port, url, { method: 'POST', token: tokens[who], body });
}

/** What the preview of an action says of each cluster where something happens. Nothing is written by that. */
async function planned(name: string, action: string, body: object = {}): Promise<Record<string, string>> {
  const { host, namespace } = setting.applications;
  await setting.applications.passes.atRest({ name, namespace });
  const since = await auditPosition(host);
  const { code, text } = await ask(`${name}/${action}/preview`, body);
  expect({ code, text }).toMatchObject({ code: 200 });
  const { problems, children } = JSON.parse(text) as PlannedApplication;
  expect(problems).toEqual([]);
  const written = (await auditEntries(host, since)).filter(
    ({ objectRef, requestURI }) => objectRef?.namespace === namespace && !requestURI.includes('dryRun=All'),
  );
  expect(written).toEqual([]);
  const fates = children.map((child) => [child.cluster, fateOf(child)] as const);
  return Object.fromEntries(fates.filter(([, fate]) => fate !== 'keep'));
}

async function act(name: string, action: string, body: object = {}): Promise<void> {
  const { code, text } = await ask(`${name}/${action}`, body);
  expect({ code, text }).toMatchObject({ code: 200 });
}

type More = Pick<Application['spec'], 'revisionHistoryLimit' | 'rollout' | 'maxRemovals'>;

const to = (cluster: string, image: string): Deploy => deploy('prod', cluster, { values: { image } });

async function put(name: string, entries: Deploy[], more: More): Promise<void> {
  const { applications } = setting;
  const wanted = applications.wanted(name, entries);
  // A range would be looked up first.
  const helmRelease = { chart: { chart: 'podinfo', version: '6.7.1' }, deploy: entries };
  const fluxApp = { spec: { source: SOURCE, config: { helmRelease } } };
  await applications.apply({ ...wanted, spec: { ...wanted.spec, ...more, fluxApp } });
}

const imageOf = ({ spec }: Child): unknown => (spec['values'] as { image?: unknown } | undefined)?.image;

/** Each cluster has these images, sooner or later. */
function eventuallyRuns(name: string, images: Record<string, string>): Promise<void> {
  return eventually(async () => {
    const children = await setting.applications.childrenOf(name);
    const found = children.map((child) => [child.spec.kubeConfig?.secretRef?.name ?? '', imageOf(child)]);
    expect(Object.fromEntries(found)).toEqual(images);
  });
}

describe('the preview of an action', () => {
  it('is what a rollback and its release then do: a pin uninstalls nothing', async () => {
    const history = { revisionHistoryLimit: 3 };
    await put('back', [to('eu', 'a')], history);
    await eventuallyRuns('back', { eu: 'a' });
    await put('back', [to('eu', 'b'), to('us', 'b')], history);
    await eventuallyRuns('back', { eu: 'b', us: 'b' });
    expect(await planned('back', 'rollback', { revision: 1, cluster: 'eu' })).toEqual({ eu: 'change' });
    // Revision 1 does not have it.
    expect(await planned('back', 'rollback', { revision: 1 })).toEqual({ eu: 'change', us: 'wait' });
    await act('back', 'rollback', { revision: 1 });
    await eventuallyRuns('back', { eu: 'a', us: 'b' });
    expect(await planned('back', 'release')).toEqual({ eu: 'change' });
    await act('back', 'release');
    await eventuallyRuns('back', { eu: 'b', us: 'b' });
  });

  it('is what the approval of removals then does', async () => {
    const { applications } = setting;
    for (const name of ['held-1', 'held-2']) await putCluster(applications, name, { of: 'held' });
    await put('held', [selecting({ of: 'held' }, [], { values: { image: 'a' } })], { maxRemovals: 0 });
    await eventuallyRuns('held', { 'held-1': 'a', 'held-2': 'a' });
    await putCluster(applications, 'held-1');
    const approval = await eventually(async () => {
      const { removals } = (await applications.read('held')).status ?? {};
      expect(removals?.clusters).toEqual(['held-1']);
      return removals?.approval;
    });
    expect(await planned('held', 'suspend')).toEqual({ 'held-1': 'uninstallLater', 'held-2': 'change' });
    expect(await planned('held', 'approve-removals', { approval })).toEqual({ 'held-1': 'uninstall' });
    await act('held', 'approve-removals', { approval });
    await eventuallyRuns('held', { 'held-2': 'a' });
  });

  it('is what suspending and resuming then do', async () => {
    await put('still', [to('eu', 'a')], {});
    await eventuallyRuns('still', { eu: 'a' });
    expect(await planned('still', 'suspend')).toEqual({ eu: 'change' });
    await act('still', 'suspend');
    const suspended = async () => (await setting.applications.childrenOf('still'))[0]?.spec.suspend ?? false;
    await eventually(async () => expect(await suspended()).toBe(true));
    expect(await planned('still', 'resume')).toEqual({ eu: 'change' });
    await act('still', 'resume');
    await eventually(async () => expect(await suspended()).toBe(false));
  });

  it('is what the approval of a stage then does', async () => {
    const rollout = {
      stages: [
        { name: 'canary', clusters: { names: ['eu'] } },
        { name: 'rest', approval: true },
      ],
    };
    const { applications } = setting;
    const stage = async () => (await applications.read('staged')).status?.rollout?.stages[1]?.phase;
    const finish = async (): Promise<void> => {
      for (const child of await applications.childrenOf('staged')) {
        await applications.report(child, 'True', 'UpgradeSucceeded');
      }
    };
    const waits = () =>
      eventually(async () => {
        await finish();
        expect(await stage()).toBe('AwaitingApproval');
      });
    await put('staged', [to('eu', 'a'), to('us', 'a')], { rollout });
    await waits();
    expect(await planned('staged', 'rollout/approve', { stage: 'rest' })).toEqual({ us: 'create' });
    expect(await applications.childrenOf('staged')).toHaveLength(1);
    await act('staged', 'rollout/approve', { stage: 'rest' });
    await eventuallyRuns('staged', { eu: 'a', us: 'a' });
    await eventually(async () => {
      await finish();
      expect(await stage()).toBe('Complete');
    });
    await put('staged', [to('eu', 'b'), to('us', 'b')], { rollout });
    await eventuallyRuns('staged', { eu: 'b', us: 'a' });
    await waits();
    expect(await planned('staged', 'rollout/approve', { stage: 'rest' })).toEqual({ us: 'change' });
    expect(await planned('staged', 'rollout/pause')).toEqual({ us: 'wait' });
  });

  it.each<[string, { who: keyof Setting['tokens']; path: string; body?: object }, number, RegExp]>([
    ['who may not do it', { who: 'viewer', path: 'suspend/preview' }, 403, /cannot patch resource/],
    [
      'who may not read what is deployed',
      { who: 'blind', path: 'suspend/preview' },
      403,
      /You may not read .*helmreleases/,
    ],
    [
      'a revision that is not kept',
      { who: 'owner', path: 'rollback/preview', body: { revision: 9 } },
      409,
      /revision 9 is not kept/,
    ],
    [
      'a misspelt field',
      { who: 'owner', path: 'rollback/preview', body: { cluter: 'eu' } },
      400,
      /cluter.* is no field of the body/,
    ],
    ['another object of that name', { who: 'owner', path: 'suspend/preview?uid=other' }, 409, /is another one by now/],
    [
      'a dry run of what is one',
      { who: 'owner', path: 'suspend/preview?dryRun=All' },
      400,
      /dryRun.* is no key of this query/,
    ],
    ['an action that changes nothing there', { who: 'owner', path: 'save-template/preview' }, 404, /./],
  ])('is refused for %s', async (_, { who, path, body }, code, says) => {
    await put('plain', [to('eu', 'a')], { revisionHistoryLimit: 1 });
    await eventuallyRuns('plain', { eu: 'a' });
    const answered = () => ask(`plain/${path}`, body, who);
    // The cache of the server hears of it later.
    await eventually(async () => expect(await answered()).toMatchObject({ code, text: expect.stringMatching(says) }));
  });
});
