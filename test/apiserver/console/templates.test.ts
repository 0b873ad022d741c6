import { beforeAll, describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { TEMPLATE_RESOURCES, type Template } from '#api/v1alpha1/template.js';
import type { TemplateAnswer, TemplateItem } from '#queries/answers/templates.js';
import { templateView } from '#queries/views/template-view.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually, useWorld } from '../../support/world.js';
import { grant, sendDescribed, type Answer, type Sent } from './harness.js';
import { dismiss, gatherPeople, SPEC, withWeb, type People } from './people.js';
import { withTemplate } from './template-people.js';

type Who = keyof People['tokens'];

interface Setting extends People {
  /** Another namespace, in which only `member` may get one template by name. */
  readonly platform: string;
}

async function gather(): Promise<Setting> {
  const world = await useWorld();
  const people = await gatherPeople(world, 'templates', true);
  const { kube, namespace: platform } = await prepareCluster(world.host, 'platform');
  await kube.close();
  return { ...people, platform };
}

const setting = fixture<Setting>(gather, dismiss);

async function call(path: string, sent: Sent & { who?: Who } = {}): Promise<Answer & { body: unknown }> {
  const { plain, tokens } = setting;
  const { who = 'admin', ...rest } = sent;
  const answer = await sendDescribed(plain.port, `/api/v1${path}`, { token: tokens[who], ...rest });
  return { ...answer, body: JSON.parse(answer.text) as unknown };
}

const at = (rest = ''): string => `/namespaces/${setting.namespace}/templates${rest}`;
const HELM = '/HelmTemplate/web';

async function itemsAt(path: string, who: Who): Promise<readonly string[]> {
  const { code, body } = await call(path, { who });
  expect(code).toBe(200);
  const { items } = body as { items: readonly TemplateItem[] };
  return items.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
}

/** It says in its status that it uses revision 1 of the template. */
async function useIn(namespace: string, { metadata }: Template, name: string): Promise<void> {
  const { kube, plain } = setting;
  const template = { kind: 'HelmTemplate', namespace: metadata.namespace, name: metadata.name, revision: 1 };
  const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', spec: SPEC };
  const made = await kube.create(applicationResource, { ...object, metadata: { name, namespace } });
  const status = { templates: [template] };
  await kube.update(applicationResource, { ...made, status } as unknown as Application, { subresource: 'status' });
  await eventually(() => {
    const seen = plain.applications.get({ name, namespace })?.status?.templates;
    if (seen?.length !== 1) throw new Error('stale');
  });
}

beforeAll(async () => {
  const { kube, namespace, platform } = setting;
  const template = await withTemplate(setting);
  await withTemplate(setting, { kind: 'KustomizationTemplate' });
  await withTemplate(setting, { namespace: platform, name: 'shared', sharedWith: { namespaces: [namespace] } });
  await withTemplate(setting, { namespace: platform, name: 'other', sharedWith: { namespaces: ['x'] } });
  await withTemplate(setting, { namespace: platform, name: 'own' });
  const user = { kind: 'ServiceAccount', name: 'member', namespace };
  const resources = TEMPLATE_RESOURCES.map(({ plural }) => plural);
  const rules = [{ apiGroups: ['gitops.kubesphere.io'], resources, verbs: ['get'], resourceNames: ['shared', 'own'] }];
  await grant(kube, 'shared', { namespace: platform, user, rules });
  await useIn(namespace, template, 'mine');
  await useIn(platform, template, 'theirs');
});

describe('a list of templates', () => {
  it('has those that one may list, and those that are shared and that one may get', async () => {
    const { namespace, platform } = setting;
    const own = [`HelmTemplate ${namespace}/web`, `KustomizationTemplate ${namespace}/web`];
    expect(await itemsAt('/templates', 'viewer')).toEqual(own);
    expect(await itemsAt('/templates', 'member')).toEqual([`HelmTemplate ${platform}/shared`, ...own]);
    expect(await itemsAt('/templates', 'stranger')).toEqual([]);
    expect(await itemsAt(at(), 'member')).toEqual(own);
  });

  it('has pages, and is empty past the end', async () => {
    expect((await call(at('?limit=1&page=2&sort=-kind'))).body).toMatchObject({
      ...{ items: [{ kind: 'HelmTemplate' }], total: 2, page: 2, limit: 1 },
    });
    expect((await call(at('?page=1000'))).body).toMatchObject({ items: [], total: 2, page: 1_000 });
  });

  it.each(['?cluster=x', '?fieldSelector=reason%3Dx', '?sort=spec', '?limit=501', '?search=a&search=b'])(
    'with %s is refused, with the reason',
    async (query) => {
      expect((await call(at(query))).body).toMatchObject({ code: 400, reason: 'BadRequest' });
    },
  );
});

describe('a template', () => {
  it('is what the command line says of it, with its spec, defaults and schema', async () => {
    const live = await withTemplate(setting, { annotations: { description: '<img src=x onerror=alert(1)>' } });
    const { body, type } = await call(at(HELM));
    expect([body, type]).toMatchObject([templateView(live), 'application/json; charset=utf-8']);
    const { spec, resourceVersion, conditions, annotations } = body as TemplateAnswer;
    expect([spec, resourceVersion]).toEqual([live.spec, live.metadata.resourceVersion]);
    expect([conditions, annotations]).toEqual([live.status?.conditions, live.metadata.annotations]);
  });

  it.each([
    ['member', true],
    ['viewer', false],
    ['named', false],
  ] as const)('says to %s whether he may share it: %j', async (who, patch) => {
    await withTemplate(setting);
    expect((await call(at(HELM), { who })).body).toMatchObject({ may: { patch } });
  });

  it.each(['/HelmChart/web', '/helmtemplates/web', '/HelmTemplate/..%2f..%2fsecrets', '/HelmTemplate/%3Cb%3E', '/web'])(
    'at %s does not exist',
    async (path) => {
      expect((await call(at(path))).code).toBe(404);
    },
  );

  it('has revisions that say what changed, and who that one may see uses them', async () => {
    const { namespace } = setting;
    const { body } = await call(at(`${HELM}/revisions`), { who: 'member' });
    expect(body).toMatchObject({
      items: [
        { revision: 2, changes: ['values.replicas'], usedBy: [] },
        { revision: 1, changes: [], usedBy: [`${namespace}/mine`] },
      ],
    });
    const newest = await call(at(`${HELM}/revisions/2`));
    const differences = [{ path: '/spec/values/replicas', old: 1, new: 2 }];
    expect(newest.body).toMatchObject({ revision: 2, from: 1, differences, spec: { values: { replicas: 2 } } });
    expect((await call(at(`${HELM}/revisions/1?from=2`))).body).toMatchObject({ revision: 1, from: 2 });
    expect((await call(at(`${HELM}/revisions/9`))).body).toMatchObject({
      ...{ code: 404, message: 'revision 9 is not kept: kept are 2, 1' },
    });
    expect((await call(at(`${HELM}/revisions/x`))).code).toBe(404);
  });

  it('has users, and a number of those that one may not see', async () => {
    const page = { total: 1, page: 1, limit: 100, hidden: 1 };
    const items = [{ name: 'mine', namespace: setting.namespace, templateRevisions: [1] }];
    expect((await call(at(`${HELM}/users`), { who: 'member' })).body).toMatchObject({ ...page, items });
    expect((await call(at(`${HELM}/users?search=none`))).body).toMatchObject({ items: [], total: 0, hidden: 1 });
    const named = await call(at(`${HELM}/users`), { who: 'named' });
    expect([named.body, named.text.includes('mine')]).toMatchObject([{ items: [], total: 0, hidden: 2 }, false]);
    expect((await call(at(`${HELM}/users?unknown=1`))).code).toBe(400);
  });
});

it('without revisions of its own has none', async () => {
  await withWeb(setting);
  const { platform } = setting;
  const path = `/namespaces/${platform}/templates/HelmTemplate/shared/revisions`;
  expect((await call(path, { who: 'member' })).code).toBe(403);
});
