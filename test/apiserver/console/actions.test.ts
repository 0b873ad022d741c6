import { describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import {
  ABANDON_ANNOTATION,
  APPROVE_REMOVALS_ANNOTATION,
  PAUSE_ROLLOUT_ANNOTATION,
  PIN_ANNOTATION,
  SAVE_HELM_LABELS,
} from '#api/v1alpha1/labels.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { sendDescribed, type Answer, type Sent } from './harness.js';
import { dismiss, gatherPeople, SPEC, withWeb, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'actions'), dismiss);

async function call(path: string, sent: Sent = {}): Promise<Answer & { body: unknown }> {
  const { plain, tokens, namespace } = setting;
  const url = `/api/v1/namespaces/${namespace}/applications${path}`;
  const answer = await sendDescribed(plain.port, url, { method: 'POST', token: tokens.member, ...sent });
  return { ...answer, body: JSON.parse(answer.text) as unknown };
}

const live = (name = 'web'): Promise<Application | undefined> =>
  setting.kube.get<Application>(applicationResource, { name, namespace: setting.namespace });

const [SAVE] = SAVE_HELM_LABELS;
const at = 'reconcile.fluxcd.io/';

describe('an action', () => {
  it.each<[string, object | undefined, object]>([
    ['sync', undefined, { [`${at}requestedAt`]: expect.any(String) }],
    [
      'sync',
      { force: true, reset: true },
      { [`${at}forceAt`]: expect.any(String), [`${at}resetAt`]: expect.any(String) },
    ],
    ['rollback', { revision: 1 }, { [PIN_ANNOTATION]: '1' }],
    ['approve-removals', { approval: 'a1' }, { [APPROVE_REMOVALS_ANNOTATION]: 'a1' }],
    ['rollout/approve', {}, { 'gitops.kubesphere.io/approve-stage': 'first@2' }],
    ['rollout/pause', undefined, { [PAUSE_ROLLOUT_ANNOTATION]: 'true' }],
  ])('%s with %o is written, and said', async (action, body, annotations) => {
    await withWeb(setting);
    const answer = await call(`/web/${action}`, { body });
    expect(answer).toMatchObject({ code: 200, body: { done: expect.any(String), application: { annotations } } });
    expect((await live())?.metadata.annotations).toMatchObject(annotations);
  });

  it('suspends, and resumes', async () => {
    await withWeb(setting);
    const config = async () => (await live())?.spec.fluxApp?.spec.config;
    expect((await call('/web/suspend')).code).toBe(200);
    expect(await config()).toMatchObject({ ...SPEC.fluxApp.spec.config, suspend: true });
    expect(await call('/web/suspend')).toMatchObject({ code: 409, body: { message: 'web: it is suspended already' } });
    expect((await call('/web/resume')).code).toBe(200);
    expect(await config()).toEqual(SPEC.fluxApp.spec.config);
  });

  it('abandons a cluster where something waits, and ends that', async () => {
    await withWeb(setting, { stuck: true, annotations: { [ABANDON_ANNOTATION]: 'gone' } });
    const abandoned = async () => (await live())?.metadata.annotations?.[ABANDON_ANNOTATION];
    expect(await call('/web/abandon?dryRun=All', { body: { cluster: 'us' } })).toMatchObject({ code: 200 });
    expect(await abandoned()).toBe('gone');
    expect(await call('/web/abandon', { body: { cluster: 'us' } })).toMatchObject({ code: 200 });
    expect(await abandoned()).toBe('gone,us');
    expect((await call('/web/abandon/end', { body: { cluster: 'gone' } })).code).toBe(200);
    expect((await call('/web/abandon/end', { body: { cluster: 'us' } })).code).toBe(200);
    expect(await abandoned()).toBeUndefined();
  });

  it('saves it as a template by its label, and ends that', async () => {
    await withWeb(setting);
    const labels = async () => (await live())?.metadata.labels ?? {};
    const { namespace } = setting;
    const template = { namespace, kind: 'HelmTemplate', name: `${namespace}-web` };
    const saved = { done: expect.stringContaining(`saved as HelmTemplate ${namespace}/`) as unknown, template };
    const tried = await call('/web/save-template?dryRun=All');
    expect(tried).toMatchObject({ code: 200, body: { ...saved, application: { labels: { [SAVE]: 'true' } } } });
    expect(await labels()).not.toHaveProperty([SAVE]);
    expect(await call('/web/save-template')).toMatchObject({ code: 200, body: saved });
    expect(await labels()).toMatchObject({ [SAVE]: 'true' });
    expect((await call('/web/save-template/release')).code).toBe(200);
    expect(await labels()).not.toHaveProperty([SAVE]);
    expect(await call('/web/save-template/release')).toMatchObject({ code: 409 });
  });

  it('saves nothing over the template of somebody else', async () => {
    await withWeb(setting);
    const { kube, namespace } = setting;
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace };
    const metadata = { name: `${namespace}-web`, namespace };
    const spec = { sourceRef, chart: { chart: 'other' } };
    await kube.create(helmTemplateResource, {
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'HelmTemplate',
      metadata,
      spec,
    });
    const message = expect.stringMatching(
      /exists and does not belong to it: `fairlead template save web --as NAME`/,
    ) as unknown;
    expect(await call('/web/save-template')).toMatchObject({ code: 409, body: { message } });
    await kube.delete(helmTemplateResource, metadata);
  });

  it('may be tried', async () => {
    const { metadata } = await withWeb(setting);
    const tried = await call('/web/rollback?dryRun=All', { body: { revision: 1 } });
    expect(tried).toMatchObject({ code: 200, body: { application: { annotations: { [PIN_ANNOTATION]: '1' } } } });
    expect((await live())?.metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(setting.plain.lines.at(-1)).toMatchObject({ msg: 'change requested', dryRun: 'All', code: 200 });
  });

  it.each<[string, string, unknown, number, RegExp]>([
    ['a revision that is not kept', 'rollback', { revision: 9 }, 409, /revision 9 is not kept, only 1/],
    [
      'a cluster that it is not on',
      'rollback',
      { cluster: 'asia' },
      409,
      /no destination on cluster asia, only on eu, us/,
    ],
    ['a list in the name of a cluster', 'rollback', { cluster: 'eu=1,us' }, 400, /cluster: it must be the name of/],
    ['no pin', 'release', {}, 409, /it is not pinned/],
    ['removals that nobody saw', 'approve-removals', { approval: 'a0' }, 409, /other removals wait/],
    ['another object of that name', 'sync?uid=other', undefined, 409, /"web" is another one by now/],
    ['a misspelt field', 'rollback', { cluter: 'eu' }, 400, /"cluter" is no field of the body; choose from revision/],
    ['a field of another type', 'sync', { force: 'yes' }, 400, /force: it must be true or false/],
    ['a body that is no object', 'sync', [1], 400, /the body is not an object/],
    [
      'a misspelt dry run',
      'sync?dryrun=All',
      undefined,
      400,
      /"dryrun" is no key of this query; choose from dryRun, uid/,
    ],
    ['another dry run', 'sync?dryRun=true', undefined, 400, /dryRun is "true", and only All is known/],
    ['a cluster where nothing waits', 'abandon', { cluster: 'us' }, 409, /on cluster us nothing is being deleted/],
    ['all clusters at once', 'abandon', { cluster: 'true' }, 409, /called true cannot be abandoned/],
    ['several clusters', 'abandon', { cluster: 'eu,us' }, 400, /cluster: it must be the name of/],
    ['a cluster that was not abandoned', 'abandon/end', { cluster: 'us' }, 409, /cluster us is not abandoned/],
    ['a revision that was seen before', 'rollout/approve', { revision: 1 }, 409, /is of revision 2 by now, not of 1/],
    ['a stage that is not there', 'rollout/approve', { stage: 'x' }, 409, /there is no stage x: the stages are first/],
  ])('with %s is refused', async (_, ...[action, body, code, message]) => {
    const { metadata } = await withWeb(setting);
    const answer = await call(`/web/${action}`, { body });
    expect(answer).toMatchObject({ code, body: { kind: 'Status', message: expect.stringMatching(message) } });
    expect((await live())?.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('of the page of another site is refused', async () => {
    await withWeb(setting);
    for (const site of ['cross-site', 'same-site']) {
      const headers = ['sec-fetch-site', site];
      expect((await call('/web/sync', { headers })).code).toBe(403);
      expect((await call('/web', { headers, method: 'GET' })).code).toBe(200);
    }
  });

  it('of Argo CD is refused', async () => {
    const body = { metadata: { name: 'argo' }, spec: { kind: 'argocd', argoApp: { spec: {} } } };
    expect((await call('', { body })).code).toBe(201);
    expect((await call('/argo/sync')).code).toBe(400);
    await setting.kube.delete(applicationResource, { name: 'argo', namespace: setting.namespace });
  });
});

describe('a change', () => {
  it('is tried with dryRun=All', async () => {
    const { metadata, spec } = await withWeb(setting);
    expect((await call('?dryRun=All', { body: { metadata: { name: 'tried' }, spec: SPEC } })).code).toBe(201);
    expect(await live('tried')).toBeUndefined();
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion, labels: { a: 'b' } }, spec };
    expect((await call('/web?dryRun=All', { method: 'PUT', body })).body).toMatchObject({ labels: { a: 'b' } });
    expect((await call('/web?dryRun=All', { method: 'DELETE' })).code).toBe(200);
    expect((await live())?.metadata).toEqual(metadata);
    const wrong = await call('?dryRun=All', { body: { metadata: { name: 'tried' }, spec: { kind: 'x' } } });
    expect([wrong.code, wrong.text]).toEqual([422, expect.stringContaining('spec.kind')]);
  });

  it('of what was read is refused when somebody changed it since', async () => {
    const { metadata, spec } = await withWeb(setting);
    const { resourceVersion } = metadata;
    expect(await call('/web', { method: 'PUT', body: { spec } })).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('metadata.resourceVersion is missing') },
    });
    const body = { metadata: { resourceVersion, labels: { a: 'b' } }, spec };
    expect((await call('/web', { method: 'PUT', body })).code).toBe(200);
    expect((await call('/web', { method: 'PUT', body })).code).toBe(409);
    expect((await call(`/web?resourceVersion=${resourceVersion ?? ''}`, { method: 'DELETE' })).code).toBe(409);
  });

  it.each(['propagationPolicy=orphan', 'orphan=true', 'dryrun=All', 'propagationPolicy=', 'resourceVersion='])(
    'that deletes with %s is refused: what was meant might be another thing',
    async (query) => {
      const { metadata } = await withWeb(setting);
      expect((await call(`/web?${query}`, { method: 'DELETE' })).code).toBe(400);
      expect((await live())?.metadata).toEqual(metadata);
    },
  );
});
