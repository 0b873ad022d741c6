import { expect, it } from '@jest/globals';
import { TEMPLATE_RESOURCES, type Template } from '#api/v1alpha1/template.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, grant, sendDescribed, startConsole, type Console } from './harness.js';

const SHARED = 60;
/** Longer than an answer about rights is kept. */
const LATER_MS = 4_000;

interface Setting {
  readonly kube: Kube;
  readonly console: Console;
  /** In front of the host: all that the console asks. */
  readonly host: FaultProxy;
  /** May get all templates of the namespace; one of them; none. */
  readonly tokens: Record<'reader' | 'named' | 'stranger', string>;
}

async function share(kube: Kube, namespace: string, name: string): Promise<void> {
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace };
  const object = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate', metadata: { name, namespace } },
    spec: { sourceRef, chart: { chart: 'web' }, sharedWith: { namespaces: ['all-others'] } },
  } as unknown as Template; // the API server checks it
  await kube.create(TEMPLATE_RESOURCES[0], object);
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'sharing');
    const host = await startFaultProxy(world.host);
    const console = await startConsole(world, { kube, namespace, server: host.server });
    await Promise.all(Array.from({ length: SHARED }, (_, index) => share(kube, namespace, `shared-${index}`)));
    const resources = TEMPLATE_RESOURCES.map(({ plural }) => plural);
    const rule = { apiGroups: ['gitops.kubesphere.io'], resources, verbs: ['get'] };
    const make = async (name: string, rules: readonly object[]): Promise<string> => {
      const { user, token } = await account(kube, namespace, name);
      await grant(kube, name, { namespace, user, rules });
      return token;
    };
    const tokens = {
      reader: await make('reader', [rule]),
      named: await make('named', [{ ...rule, resourceNames: ['shared-7'] }]),
      stranger: await make('stranger', []),
    };
    await eventually(() => expect(console.templates[0]?.list()).toHaveLength(SHARED));
    return { kube, console, host, tokens };
  },
  async ({ kube, console, host }) => {
    await console.stop();
    await Promise.all([host.close(), kube.close()]);
  },
);

/** How many templates somebody may read, and how many questions about his rights that takes. */
async function listed(who: keyof Setting['tokens']): Promise<{ total: number; questions: number }> {
  const { console, host, tokens } = setting;
  const asked = (): number => host.http.seen.filter(({ path }) => path.includes('/subjectaccessreviews')).length;
  const before = asked();
  const { code, text } = await sendDescribed(console.port, '/api/v1/templates', { token: tokens[who] });
  expect(code).toBe(200);
  return { total: (JSON.parse(text) as { total: number }).total, questions: asked() - before };
}

it('asks once for who may get all shared templates of a namespace', async () => {
  const { total, questions } = await listed('reader');
  expect(total).toBe(SHARED);
  expect(questions).toBeLessThan(10);
});

it('asks about each template for others, and remembers what they may not', async () => {
  expect((await listed('named')).total).toBe(1);
  const { total, questions } = await listed('stranger');
  expect([total, questions >= SHARED]).toEqual([0, true]);
  await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  const later = await listed('named');
  expect([later.total, later.questions < 10]).toEqual([1, true]);
  expect((await listed('stranger')).total).toBe(0);
});
