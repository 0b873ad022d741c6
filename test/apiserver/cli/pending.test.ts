import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PendingView } from '#queries/answers/application.js';
import type { World } from '#sandbox/world.js';
import { limitedUser } from '../../support/limited-user.js';
import { fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { eventually, useWorld } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { useHarness } from '../application/harness.js';
import { account, grant, send, startConsole, type Console } from '../console/harness.js';

const APPLICATIONS = 'applications.gitops.kubesphere.io';
/** More than the status has rows. */
const WAITING = 240;

interface Listed {
  readonly items: readonly PendingView[];
  readonly more: number;
  readonly notes: readonly string[];
}

describe('fairlead pending, of more destinations than the status lists', () => {
  const harness = useHarness();
  let world: World;

  const put = (image: string) => {
    const names = Array.from({ length: WAITING }, (_, index) => `shop-${index + 1}`);
    const entries = names.map((name) => deploy(name, 'eu', { values: { image } }));
    const helmRelease = { chart: { chart: 'podinfo', version: '6.7.1' }, deploy: [deploy('canary', 'us'), ...entries] };
    const rollout = { stages: [{ name: 'canary', clusters: { names: ['us'] } }] };
    const wanted = harness.wanted('fleet', []);
    const fluxApp = { spec: { source: SOURCE, config: { helmRelease } } };
    return harness.apply({ ...wanted, spec: { ...wanted.spec, rollout, fluxApp } });
  };
  const run = async (args: readonly string[], kubeconfig = world.host.kubeconfig) => {
    const flags = ['-n', harness.namespace, '--kubeconfig', kubeconfig];
    const terminal = fairleadAtTerminal(['pending', 'fleet', ...args, ...flags], { columns: 2_000 });
    const code = await terminal.exitCode;
    return { code, lines: screenOf(terminal.output()) };
  };

  beforeAll(async () => {
    world = await useWorld();
    await put('a');
    await eventually(async () => expect((await harness.read('fleet')).status?.pending?.total).toBe(WAITING));
  });

  test('lists each one, with what it waits for, and writes nothing', async () => {
    const before = await harness.position('fleet');
    const { status } = await harness.read('fleet');
    expect(status).toMatchObject({ truncated: true, pending: { total: WAITING } });
    expect(status?.destinations?.length).toBeLessThan(WAITING);
    const { code, lines } = await run(['-o', 'json']);
    expect({ code, lines: code === 0 ? [] : lines }).toEqual({ code: 0, lines: [] });
    // What the command prints; the next lines check it.
    const { pending, more } = JSON.parse(lines.join('\n')) as { pending: readonly PendingView[]; more: number };
    expect(more).toBe(0);
    expect(pending).toHaveLength(WAITING);
    expect(new Set(pending.map(({ destination }) => destination)).size).toBe(WAITING);
    const same = { reason: 'Stage', message: 'waits for stage "canary"', change: 'installation', cluster: 'eu', to: 1 };
    for (const row of pending) expect(row).toMatchObject({ ...same, since: status?.rollout?.startedAt });
    expect(await harness.writes(before, 'fleet')).toEqual([]);
  });

  describe('of the API', () => {
    let server: Console;
    const asked = async (name: string, resources: readonly string[]): Promise<Listed> => {
      const { kube, namespace } = harness;
      const { user, token } = await account(kube, namespace, name);
      const rules = [{ apiGroups: ['*'], resources, verbs: ['get', 'list'] }];
      await grant(kube, name, { namespace, user, rules });
      const path = `/api/v1/namespaces/${namespace}/pending`;
      const answer = await eventually(async () => {
        const { code, text } = await send(server.port, path, { token });
        expect({ code, text: code === 200 ? '' : text }).toEqual({ code: 200, text: '' });
        // What the server answers; the tests check it.
        const listed = JSON.parse(text) as Listed;
        expect(listed.items.length + listed.more).toBe(WAITING);
        return listed;
      });
      return answer;
    };

    beforeAll(async () => {
      server = await startConsole(world, { kube: harness.kube, namespace: harness.namespace });
    });
    afterAll(() => server.stop());

    test('has what the command prints', async () => {
      const { items, more, notes } = await asked('owner', ['*']);
      expect({ more, notes }).toEqual({ more: 0, notes: [] });
      const { lines } = await run(['-o', 'json']);
      expect(JSON.parse(lines.join('\n'))).toEqual({ pending: items, more: 0 });
    });

    test('counts those that a user may not know more of, and says why', async () => {
      const { items, more, notes } = await asked('lister', ['applications']);
      expect(items.length).toBeLessThan(WAITING);
      expect(more).toBe(WAITING - items.length);
      expect(notes).toEqual([
        expect.stringMatching(/fleet: not all that wait are known: You may not read .*helmreleases/),
      ]);
    });
  });

  test('counts those that a user may not know more of, and says why', async () => {
    const user = await limitedUser(world, harness.namespace, { name: 'reader', list: [APPLICATIONS] });
    const { code, lines } = await run([], user);
    expect(code).toBe(0);
    const said = lines.join(' ');
    expect(said).toMatch(/not all that wait are known: You may not read .*helmreleases/);
    expect(said).toMatch(/and \d+ more that have no row in the status/);
  });
});
