import { afterEach } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { actingAfter } from '../../support/gate.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, BASE, grant, sendDescribed, startConsole, type Answer, type Console, type Sent } from './harness.js';

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly server: Console;
  readonly token: string;
}

/**
 * Calls the server as the console does, for an admin of one namespace, which is emptied after each test. The server
 * waits for `beforeUpdate` between reading an object and replacing it.
 */
export function asAdmin(prefix: string, beforeUpdate: () => Promise<void> = () => Promise.resolve()) {
  const setting = fixture<Setting>(
    async () => {
      const world = await useWorld();
      const { kube, namespace } = await prepareCluster(world.host, prefix);
      const { user, token } = await account(kube, namespace, 'admin');
      await grant(kube, 'admin', { namespace, user, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
      const more = { kube: actingAfter(kube, 'update', beforeUpdate) };
      const server = await startConsole(world, { kube, namespace, more });
      return { kube, namespace, server, token };
    },
    async ({ kube, server }) => {
      await server.stop();
      await kube.close();
    },
  );
  afterEach(async () => {
    const { kube, namespace, server } = setting;
    const { items } = await kube.list<Application>(applicationResource, { namespace });
    await Promise.all(items.map(({ metadata }) => kube.delete(applicationResource, metadata)));
    await eventually(() => {
      const left = server.applications.list(namespace);
      if (left.length > 0) throw new Error(`${left.length} are still cached`);
    });
  });
  return {
    setting,
    at: (rest = ''): string => `${BASE}/namespaces/${setting.namespace}/applications${rest}`,
    call: async (path: string, sent: Sent = {}): Promise<Answer & { readonly body: unknown }> => {
      const answer = await sendDescribed(setting.server.port, path, { token: setting.token, ...sent });
      return { ...answer, body: answer.type.includes('json') ? (JSON.parse(answer.text) as unknown) : undefined };
    },
    live: (name: string): Promise<Application | undefined> =>
      setting.kube.get<Application>(applicationResource, { name, namespace: setting.namespace }),
  };
}
