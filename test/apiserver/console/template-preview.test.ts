import { describe, expect, it } from '@jest/globals';
import type { PlanProblem, PlannedChild } from '#queries/answers/plans.js';
import { fixture } from '../../support/fixture.js';
import { auditEntries, auditPosition, eventually, useWorld } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { TemplateHarness } from '../template/harness.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

interface Setting {
  /** The controllers of Applications and of templates run here. */
  readonly templates: TemplateHarness;
  readonly console: Console;
  /** May read everything and update templates; only read; read templates, revisions and Applications. */
  readonly tokens: Record<'owner' | 'viewer' | 'guest', string>;
}

const GROUP = 'gitops.kubesphere.io';
const UPDATE = { apiGroups: [GROUP], resources: ['helmtemplates'], verbs: ['update'] };
const read = (apiGroups: string[]) => ({ apiGroups, resources: ['*'], verbs: ['get', 'list'] });
const RULES = { owner: [UPDATE, read(['*'])], viewer: [read(['*'])], guest: [read([GROUP, 'apps'])] };

const setting = fixture<Setting>(
  async () => {
    const templates = await TemplateHarness.start();
    const { kube, namespace } = templates.applications;
    const tokens: Record<string, string> = {};
    for (const [name, rules] of Object.entries(RULES)) {
      const { user, token } = await account(kube, namespace, name);
      await grant(kube, name, { namespace, user, rules });
      tokens[name] = token;
    }
    const console = await startConsole(await useWorld(), { kube, namespace });
    return { templates, console, tokens: tokens }; // one for each of RULES
  },
  async ({ templates, console }) => {
    await console.stop();
    await templates.stop();
  },
);

type Who = keyof Setting['tokens'];

interface Preview {
  readonly problems: readonly PlanProblem[];
  readonly users: readonly {
    readonly application: string;
    readonly pinned: readonly number[];
    readonly problem: string;
    readonly children: readonly PlannedChild[];
    readonly unchanged: number;
  }[];
  readonly more: number;
}

function ask(name: string, body: object, who: Who = 'owner'): Promise<Answer> {
  const { console, templates, tokens } = setting;
  const path = `/api/v1/namespaces/${templates.applications.namespace}/templates/HelmTemplate/${name}/preview`;
  return sendDescribed(console.port, path, { method: 'POST', token: tokens[who], body });
}

async function previewOf(name: string, body: object, who: Who = 'owner'): Promise<Preview> {
  const { code, text } = await ask(name, body, who);
  expect({ code, text }).toMatchObject({ code: 200 });
  return JSON.parse(text) as Preview;
}

/** A template with this number of replicas, used by these Applications, which run. */
async function rolledOut(name: string, users: Readonly<Record<string, string>>): Promise<void> {
  const { templates, console } = setting;
  const { applications } = templates;
  await templates.template(name, { values: { replicas: 1 } });
  await templates.hasRevision(name, 1);
  for (const [user, reference] of Object.entries(users)) {
    await applications.apply(templates.user(user, reference, [deploy(user, 'eu'), deploy(user, 'us')]));
    await applications.eventuallyHas(user, 2);
  }
  await eventually(() => {
    for (const user of Object.keys(users)) {
      const seen = console.applications.get({ name: user, namespace: applications.namespace });
      expect(seen?.status?.templates).toHaveLength(1);
    }
  });
}

async function specOf(name: string, more: object): Promise<object> {
  const template = await setting.templates.find(name);
  return { ...template?.spec, ...more };
}

describe('the preview of a template', () => {
  it('has what a change then does to its users, by field, and writes nothing', async () => {
    const { templates } = setting;
    const { applications } = templates;
    await rolledOut('web', { follows: 'web', stays: 'web@1' });
    const spec = await specOf('web', { values: { replicas: 3 } });
    const since = await auditPosition(applications.host);
    const { users, problems, more } = await previewOf('web', { spec });
    expect([problems, more]).toEqual([[], 0]);
    const fields = [{ path: '/spec/values/replicas', old: 1, new: 3 }];
    const children = ['eu', 'us'].map((cluster) => expect.objectContaining({ cluster, action: 'change', fields }));
    const rest = { problem: '', unchanged: 0, children };
    expect(users).toEqual([
      expect.objectContaining({ ...rest, application: `${applications.namespace}/follows`, pinned: [] }),
      expect.objectContaining({ ...rest, application: `${applications.namespace}/stays`, pinned: [1] }),
    ]);
    const written = await auditEntries(applications.host, since);
    const isOurs = (entry: (typeof written)[number]): boolean =>
      entry.objectRef?.namespace === applications.namespace && !entry.requestURI.includes('dryRun=All');
    expect(written.filter(isOurs)).toEqual([]);

    await templates.template('web', { values: { replicas: 3 } });
    await templates.hasRevision('web', 2);
    await eventually(async () => {
      const live = await applications.eventuallyHas('follows', 2);
      expect(live.map((child) => child.spec['values'])).toEqual([{ replicas: 3 }, { replicas: 3 }]);
    });
    const back = await previewOf('web', { revision: 1 }, 'viewer');
    expect(back.users.map(({ application, children: each }) => [application, each.length])).toEqual([
      [`${applications.namespace}/follows`, 2],
      // It is at revision 1 already.
      [`${applications.namespace}/stays`, 0],
    ]);
  });

  it('says what the API server and the controller would refuse, by field', async () => {
    await rolledOut('refused', {});
    const odd = await previewOf('refused', { spec: await specOf('refused', { chart: { chart: '' } }) });
    expect(odd).toMatchObject({ users: [], problems: [{ field: expect.stringContaining('chart') }] });
    const range = await specOf('refused', { chart: { chart: 'podinfo', version: 'x.y' } });
    const message = expect.stringContaining('neither a valid version nor a valid range');
    expect((await previewOf('refused', { spec: range })).problems).toEqual([{ field: '', message }]);
    const schema = await specOf('refused', { valuesSchema: { type: 'nothing' } });
    expect((await previewOf('refused', { spec: schema })).problems).toMatchObject([{ field: '' }]);
  });

  it('says of each user what cannot be said to who may not read what is deployed', async () => {
    await rolledOut('unread', { unreadable: 'unread' });
    const { users } = await previewOf('unread', { revision: 1 }, 'guest');
    expect(users).toMatchObject([{ children: [], problem: expect.stringContaining('helmreleases') }]);
  });

  it.each<[string, Who, object, Pick<Answer, 'code' | 'text'>]>([
    ['of a spec by who may not update it', 'viewer', { spec: {} }, { code: 403, text: 'cannot update resource' }],
    ['of a revision that is not kept', 'owner', { revision: 99 }, { code: 404, text: 'revision 99 is not kept' }],
    ['of nothing', 'owner', {}, { code: 400, text: 'either revision or spec' }],
  ])('%s is refused', async (_, who, body, { code, text }) => {
    await rolledOut('plain', {});
    await eventually(async () => {
      const answer = await ask('plain', body, who);
      expect(answer).toMatchObject({ code, text: expect.stringContaining(text) });
    });
  });
});
