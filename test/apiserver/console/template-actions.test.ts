import { beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { applicationResource } from '#api/v1alpha1/application.js';
import { helmTemplateResource, type HelmTemplate } from '#api/v1alpha1/helm-template.js';
import { fixture } from '../../support/fixture.js';
import { eventually, freshNamespace, useWorld } from '../../support/world.js';
import { grant, sendDescribed, type Answer } from './harness.js';
import { dismiss, gatherPeople, type People } from './people.js';
import { withTemplate } from './template-people.js';

type Who = keyof People['tokens'];

interface Setting extends People {
  /** Another namespace. */
  readonly other: string;
}

const setting = fixture<Setting>(async () => {
  const people = await gatherPeople(await useWorld(), 'template-actions');
  const { kube, namespace } = people;
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
  await grant(kube, `${namespace}-sees`, { user: { kind: 'ServiceAccount', name: 'admin', namespace }, rules });
  return { ...people, other: await freshNamespace(kube, 'other') };
}, dismiss);

const TEMPLATE = '/templates/HelmTemplate/web';

async function post(path: string, body: unknown, who: Who = 'member'): Promise<Answer & { body: unknown }> {
  const { plain, namespace, tokens } = setting;
  const sent = { method: 'POST', token: tokens[who], body };
  const answer = await sendDescribed(plain.port, `/api/v1/namespaces/${namespace}${path}`, sent);
  return { ...answer, body: JSON.parse(answer.text) as unknown };
}

async function sharedWith(): Promise<unknown> {
  const { kube, namespace } = setting;
  return (await kube.get<HelmTemplate>(helmTemplateResource, { name: 'web', namespace }))?.spec.sharedWith;
}

beforeEach(async () => {
  await withTemplate(setting);
});

describe('sharing a template', () => {
  it('adds and removes namespaces, as the command line does, and leaves a line in the log', async () => {
    const { other, namespace, plain } = setting;
    const added = await post(`${TEMPLATE}/share`, { add: [other] });
    expect(added).toMatchObject({ code: 200, body: { done: `shared with ${other}` } });
    expect(await sharedWith()).toEqual({ namespaces: [other] });
    const user = expect.stringContaining(':member');
    await eventually(() =>
      expect(plain.lines).toContainEqual(
        expect.objectContaining({ user, object: { namespace, kind: 'HelmTemplate', name: 'web' }, code: 200 }),
      ),
    );
    const removed = await post(`${TEMPLATE}/share`, { remove: [other] });
    expect(removed).toMatchObject({ code: 200, body: { done: 'shared with no namespace by its name' } });
    expect(await sharedWith()).toEqual({ namespaces: [] });
  });

  it('is only checked in a dry run', async () => {
    const { body } = await post(`${TEMPLATE}/share?dryRun=All`, { add: [setting.other] });
    expect(body).toMatchObject({ done: expect.stringContaining('dry run') });
    expect(await sharedWith()).toBeUndefined();
  });

  it.each<[string, object, number, string]>([
    ['', { add: ['no-such-namespace'] }, 400, 'there is no namespace no-such-namespace'],
    ['', { remove: ['x'] }, 409, 'nothing changes'],
    ['?uid=another', { add: ['default'] }, 409, 'is another one by now'],
    ['', { add: ['x'], remove: ['x'] }, 400, 'there is no namespace x'],
    ['?dryrun=All', { add: ['default'] }, 400, 'is no key of this query'],
  ])('%s %j is refused', async (query, body, code, says) => {
    const answer = await post(`${TEMPLATE}/share${query}`, body, 'admin');
    expect(answer).toMatchObject({ code, text: expect.stringContaining(says) });
    expect(await sharedWith()).toBeUndefined();
  });
});

describe('the Application that would use a template', () => {
  const use = (more: object, who: Who = 'viewer'): Promise<Answer & { body: unknown }> =>
    post(`${TEMPLATE}/use`, { name: 'from-form', namespace: setting.namespace, ...more }, who);

  it('is what can be created then, and nothing is written for it', async () => {
    const { kube, namespace, plain } = setting;
    const before = plain.lines.length;
    const { code, body } = await use({ values: { replicas: 3 }, revision: 1 }, 'member');
    const { application, problems } = body as { application: object; problems: unknown[] };
    expect([code, problems]).toEqual([200, []]);
    expect(plain.lines.slice(before)).toEqual([]);
    const ref = { name: 'from-form', namespace };
    expect(await kube.get(applicationResource, ref)).toBeUndefined();
    expect((await post('/applications', application)).code).toBe(201);
    const deploy = [{ destination: { targetNamespace: namespace }, values: { replicas: 3 } }];
    const made = await kube.get(applicationResource, ref);
    expect(made).toMatchObject({
      spec: { fluxApp: { spec: { config: { helmRelease: { template: 'web@1', deploy } } } } },
    });
    await kube.delete(applicationResource, ref);
  });

  it('has problems by field where the schema has something against its values', async () => {
    const { body } = await use({ values: { replicas: 'many' } });
    expect(body).toMatchObject({ problems: [{ field: 'replicas', message: 'must be integer' }] });
  });

  it('has one problem where the schema takes too long', async () => {
    const { kube, namespace } = setting;
    const deep = Object.fromEntries(
      Array.from({ length: 26 }, (_, at) => [`d${at}`, { allOf: Array(4).fill({ $ref: `#/definitions/d${at + 1}` }) }]),
    );
    const valuesSchema = { definitions: { ...deep, d26: { type: 'object' } }, $ref: '#/definitions/d0' };
    const body = { spec: { valuesSchema } };
    await kube.patch(helmTemplateResource, { name: 'web', namespace }, { type: 'merge', body });
    const cache = setting.plain.templates.find(({ type }) => type.kind === 'HelmTemplate');
    await eventually(() =>
      expect(cache?.get({ name: 'web', namespace })?.spec).toMatchObject({
        valuesSchema: { $ref: '#/definitions/d0' },
      }),
    );
    const answer = await use({});
    const message = expect.stringMatching(/the schema of the template cannot be used: validating values takes longer/);
    expect(answer.body).toMatchObject({ problems: [{ field: '', message }] });
    await kube.patch(
      helmTemplateResource,
      { name: 'web', namespace },
      { type: 'merge', body: { spec: { valuesSchema: { definitions: null, $ref: null } } } },
    );
  });

  it.each<[object, number, string]>([
    [{ revision: 9 }, 403, 'controllerrevisions'],
    [{ values: 1 }, 400, 'values: they must be an object'],
  ])('%j is refused', async (more, code, says) => {
    expect(await use(more)).toMatchObject({ code, text: expect.stringContaining(says) });
  });
});

describe('the stream of changes', () => {
  function follow(who: Who): { text: () => string; end: () => void } {
    const { plain, tokens } = setting;
    let text = '';
    const headers = { authorization: `Bearer ${tokens[who]}` };
    const asked = request({ host: '127.0.0.1', port: plain.port, path: '/api/v1/changes', headers }, (response) =>
      response.on('data', (chunk: Buffer) => (text += chunk.toString())),
    );
    asked.on('error', () => undefined);
    asked.end();
    return { text: () => text, end: () => asked.destroy() };
  }

  it('has templates of those who may read them, and of nobody else', async () => {
    const { kube, namespace } = setting;
    const [viewer, named, stranger] = [follow('viewer'), follow('named'), follow('stranger')];
    const all = [viewer, named, stranger];
    await eventually(() => expect(all.map(({ text }) => text().includes('event: ready'))).toEqual([true, true, true]));
    const ref = { name: 'web', namespace };
    const body = { metadata: { labels: { turn: 'one' } } };
    await kube.patch(helmTemplateResource, ref, { type: 'merge', body });
    for (const { text } of [viewer, named]) {
      await eventually(() => expect(text()).toMatch(/event: template-updated\ndata: .*"turn":"one"/));
    }
    await withTemplate(setting, { name: 'unnamed' });
    await kube.delete(helmTemplateResource, { name: 'unnamed', namespace });
    await eventually(() => expect(viewer.text()).toMatch(/event: template-deleted\ndata: .*"name":"unnamed"/));
    await kube.delete(helmTemplateResource, ref);
    await eventually(() => expect(named.text()).toMatch(/event: template-deleted\ndata: .*"name":"web"/));
    expect(named.text()).not.toContain('unnamed');
    expect(stranger.text()).not.toContain('template-');
    for (const { end } of all) end();
  });
});
