import { describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import type { ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, grant, sendDescribed, startConsole, type Console } from './harness.js';
import { SPEC } from './people.js';

const GROUP = 'gitops.kubesphere.io';
const binding: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings' },
  namespaced: true,
};
const serviceAccount: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
};
/** Longer than an accepted token, and a right, count that are taken away. */
const LATER = { timeoutMs: 30_000 };

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly server: Console;
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'revoked');
    return { kube, namespace, server: await startConsole(world, { kube, namespace, more: { recheckMs: 500 } }) };
  },
  async ({ kube, server }) => {
    await server.stop();
    await kube.close();
  },
);

/** A user who may read Applications. */
async function reader(name: string): Promise<string> {
  const { kube, namespace } = setting;
  const { user, token } = await account(kube, namespace, name);
  const rules = [{ apiGroups: [GROUP], resources: ['applications'], verbs: ['get', 'list'] }];
  await grant(kube, name, { namespace, user, rules });
  return token;
}

const codeFor = async (token: string): Promise<number> =>
  (await sendDescribed(setting.server.port, `/api/v1/namespaces/${setting.namespace}/applications`, { token })).code;

function create(name: string): Promise<Application> {
  const { kube, namespace } = setting;
  const object = { apiVersion: `${GROUP}/v1alpha1`, kind: 'Application', metadata: { name, namespace }, spec: SPEC };
  return kube.create(applicationResource, object as Application);
}

/** What the stream of changes tells, from now on. */
function follow(
  token: string,
): Promise<{ readonly text: () => string; readonly isOver: () => boolean; readonly end: () => void }> {
  const path = `/api/v1/namespaces/${setting.namespace}/changes`;
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    let text = '';
    let isOver = false;
    const asked = request({ host: '127.0.0.1', port: setting.server.port, path, headers }, (response) => {
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', () => undefined);
      response.on('close', () => (isOver = true));
      resolve({ text: () => text, isOver: () => isOver, end: () => response.destroy() });
    });
    asked.on('error', reject).end();
  });
}

describe('what is taken away', () => {
  it('is a token: it is refused once its account is gone', async () => {
    const token = await reader('leaver');
    expect(await codeFor(token)).toBe(200);
    await setting.kube.delete(serviceAccount, { namespace: setting.namespace, name: 'leaver' });
    await eventually(async () => expect(await codeFor(token)).toBe(401), LATER);
  });

  it('is a token: a stream that is open ends, and others go on', async () => {
    const [token, other] = [await reader('stopped'), await reader('going-on')];
    const streams = [await follow(token), await follow(other)] as const;
    const [stopped, goingOn] = streams;
    await setting.kube.delete(serviceAccount, { namespace: setting.namespace, name: 'stopped' });
    await eventually(() => expect(stopped.isOver()).toBe(true), LATER);
    expect(stopped.text()).toContain('event: close\ndata: {"reason":"the user could not be authenticated again');
    await create('since');
    await eventually(() => expect(goingOn.text()).toContain('"since"'));
    for (const { end } of streams) end();
  });

  it('is a right: a stream that is open tells no more of what may not be seen', async () => {
    const { kube, namespace } = setting;
    const [token, other] = [await reader('former'), await reader('present')];
    const streams = [await follow(token), await follow(other)] as const;
    const [former, present] = streams;
    await create('before');
    await eventually(() => expect(streams.every(({ text }) => text().includes('"before"'))).toBe(true));
    await kube.delete(binding, { namespace, name: 'former' });
    await eventually(async () => expect(await codeFor(token)).toBe(403), LATER);
    await create('after');
    await eventually(() => expect(present.text()).toContain('"after"'));
    expect(former.text()).not.toContain('"after"');
    for (const { end } of streams) end();
  });
});
