import { describe, expect, it } from '@jest/globals';
import { gunzipSync } from 'node:zlib';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { ResourceType } from '#api/meta.js';
import type { Overview, OverviewUpdate } from '#queries/answers/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually, freshNamespace, useWorld } from '../../support/world.js';
import { account, grant, send, sendDescribed, startConsole, type Console } from './harness.js';
import { SPEC } from './people.js';

const GROUP = 'gitops.kubesphere.io';
const LIST = [{ apiGroups: [GROUP], resources: ['applications'], verbs: ['list'] }];
const binding: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings' },
  namespaced: true,
};
/** Longer than a right counts that is taken away. */
const LATER = { timeoutMs: 20_000 };
const PER_NAMESPACE = 40;

interface Setting {
  readonly kube: Kube;
  readonly namespaces: readonly [string, string, string];
  readonly server: Console;
  readonly user: object;
  readonly token: string;
}

const application = (namespace: string, name: string): Application =>
  ({ apiVersion: `${GROUP}/v1alpha1`, kind: 'Application', metadata: { name, namespace }, spec: SPEC }) as Application;

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'overview');
    const other = await freshNamespace(kube, 'overview-other');
    const foreign = await freshNamespace(kube, 'overview-foreign');
    const { user, token } = await account(kube, namespace, 'reader');
    for (const each of [namespace, other]) await grant(kube, 'reader', { namespace: each, user, rules: LIST });
    for (const each of [namespace, foreign]) {
      for (let index = 0; index < PER_NAMESPACE; index += 1) {
        await kube.create(applicationResource, application(each, `web-${index}`));
      }
    }
    const server = await startConsole(world, { kube, namespace, isWide: true });
    return { kube, namespaces: [namespace, other, foreign] as const, server, user, token };
  },
  async ({ server, kube }) => {
    await server.stop();
    await kube.close();
  },
);

async function seen(): Promise<string[]> {
  const { server, token } = setting;
  const { code, text } = await sendDescribed(server.port, '/api/v1/overview', { token });
  expect(code).toBe(200);
  const { applications } = JSON.parse(text) as Overview;
  return [...new Set(applications.map(({ namespace }) => namespace))];
}

describe('the overview of who may list in some namespaces', () => {
  it('has the Applications of these, of one that gets its first one as well', async () => {
    const { kube, namespaces } = setting;
    const [own, other] = namespaces;
    expect(await seen()).toEqual([own]);
    await kube.create(applicationResource, application(other, 'first'));
    await eventually(async () => expect(await seen()).toEqual([own, other].sort()), LATER);
  });

  it('is compressed for who can read that, and an unchanged one is not sent again', async () => {
    const { server, token } = setting;
    const ask = (headers: string[]) => send(server.port, '/api/v1/overview', { token, headers });
    const [plain, zipped] = [await ask([]), await ask(['accept-encoding', 'gzip, br'])];
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(gunzipSync(zipped.bytes).toString()).toBe(plain.text);
    expect(zipped.tag).not.toBe(plain.tag);
    const again = await ask(['accept-encoding', 'gzip', 'if-none-match', zipped.tag]);
    expect([again.code, again.text, again.tag]).toEqual([304, '', zipped.tag]);
  });

  it('says what changed since one that the reader has, and all of it if that is another one', async () => {
    const { server, token, kube, namespaces } = setting;
    const [namespace] = namespaces;
    const ask = async (since: string) => {
      const { code, text, tag } = await sendDescribed(server.port, `/api/v1/overview?since=${since}`, { token });
      expect(code).toBe(200);
      return { tag: tag.replaceAll('"', ''), body: JSON.parse(text) as Overview | OverviewUpdate };
    };
    const first = await ask('unknown');
    expect('applications' in first.body).toBe(true);
    expect((await ask(`${first.tag}-gzip`)).body).toEqual({ changed: [], removed: [] });
    await kube.create(applicationResource, application(namespace, 'late'));
    await kube.delete(applicationResource, { namespace, name: 'web-1' });
    await eventually(async () => {
      const { body } = await ask(first.tag);
      const names = 'changed' in body ? body.changed.map(({ name }) => name) : [];
      expect([names, 'removed' in body && body.removed]).toEqual([['late'], [`${namespace}/web-1`]]);
    });
  });

  it('loses a namespace once the right to list there is taken away', async () => {
    const { kube, namespaces, server, token } = setting;
    const [own] = namespaces;
    expect(await seen()).toContain(own);
    await kube.delete(binding, { namespace: own, name: 'reader' });
    await eventually(async () => expect(await seen()).not.toContain(own), LATER);
    expect((await sendDescribed(server.port, `/api/v1/namespaces/${own}/applications`, { token })).code).toBe(403);
  });
});
