import { beforeAll, describe, expect, it } from '@jest/globals';
import { kubectl } from '#bench/scenarios/shell.js';
import type { World } from '#sandbox/world.js';
import { prepareCluster } from '../../support/harness.js';
import { applyManifest } from '../../support/kubectl.js';
import { CTRL_C, fairleadAtTerminal, screenOf, type TerminalRun } from '../../support/terminal.js';
import { eventually, useWorld } from '../../support/world.js';

const CAUSE =
  'timeout waiting for: [Deployment/shop/web: InProgress: Available: 0/1: Pod web-7d4b9c-x2x9p: ImagePullBackOff]';

function condition(type: string, status: string, message = ''): object {
  return { type, status, reason: 'DestinationsFailed', message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

const READY = { conditions: [condition('Ready', 'True', 'all fine')], summary: { desired: 1, ready: '1/1' } };
const RETRIED = { conditions: [condition('Ready', 'False', 'eu is Failed')], summary: { desired: 1, ready: '0/1' } };
const STALLED = { conditions: [condition('Ready', 'False', 'no chart'), condition('Stalled', 'True', 'no chart')] };

/** The built `fairlead` at a terminal, against Applications whose status the tests write: no controller runs. */
describe('fairlead status', () => {
  let world: World;
  let namespace: string;

  const make = async (name: string): Promise<void> => {
    const spec = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
    const metadata = { name, namespace };
    await applyManifest(world, world.host, {
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'Application',
      metadata,
      spec,
    });
  };

  const report = async (name: string, status: object): Promise<void> => {
    const patch = JSON.stringify({ status: { observedGeneration: 1, ...status } });
    const flags = ['--subresource=status', '--type=merge', '-p', patch];
    await kubectl(world, world.host, '-n', namespace, 'patch', 'gapp', name, ...flags);
  };

  const atTerminal = (columns: number, args: readonly string[], env = {}): TerminalRun =>
    fairleadAtTerminal(['status', '-n', namespace, ...args, '--kubeconfig', world.host.kubeconfig], { columns, env });

  const shown = async (run: TerminalRun, text: string): Promise<void> => {
    await eventually(() => expect(screenOf(run.output()).join('\n')).toContain(text));
  };

  beforeAll(async () => {
    world = await useWorld();
    const prepared = await prepareCluster(world.host, 'status');
    namespace = prepared.namespace;
    await prepared.kube.close();
  });

  it.each([40, 80, 160])('is no wider than a terminal of %d columns, and never cuts the cause', async (columns) => {
    await make('web');
    const rows = [
      { name: 'eu', cluster: 'eu', namespace: 'shop', release: 'web', state: 'Failed', message: CAUSE },
      {
        name: 'us',
        cluster: 'us',
        namespace: 'shop',
        release: 'web',
        state: 'Ready',
        message: 'Helm install succeeded',
      },
    ];
    await report('web', { ...RETRIED, destinations: rows });
    const run = atTerminal(columns, ['web']);
    expect(await run.exitCode).toBe(0);
    const lines = screenOf(run.output());
    expect(lines.slice(0, -2).filter(({ length }) => length > columns)).toEqual([]);
    expect(lines.join('').replaceAll(/\s+/g, '')).toContain(CAUSE.replaceAll(' ', ''));
    expect(run.output()).toContain('\u001b[31m✗ Failed');
    expect(lines.slice(-2)).toEqual(['Look further:', `  kubectl -n ${namespace} describe gapp web`]);
  });

  it('names the commands that look into a pod, and waits for none of its output', async () => {
    await make('crashing');
    const message = `timeout waiting for: [Deployment/${namespace}/x: InProgress: Available: 0/1: Pod/${namespace}/x-1: container main: restarted after exit code 1]`;
    const child = { kind: 'HelmRelease', name: 'crashing-a' };
    await report('crashing', {
      ...RETRIED,
      destinations: [{ name: 'a', cluster: 'host', state: 'Failed', message, child }],
    });
    const run = atTerminal(160, ['crashing']);
    expect(await run.exitCode).toBe(0);
    expect(screenOf(run.output()).slice(-3)).toEqual([
      'Look further:',
      `  kubectl -n ${namespace} describe helmrelease crashing-a`,
      `  kubectl -n ${namespace} logs x-1 -c main --previous`,
    ]);
  });

  it('draws a change over what it showed, and ends with Ctrl-C', async () => {
    await make('watched');
    await report('watched', RETRIED);
    const run = atTerminal(80, ['watched', '--watch']);
    await shown(run, 'Failed');
    await report('watched', READY);
    await shown(run, 'Ready');
    expect(screenOf(run.output())).toHaveLength(2);
    run.type(CTRL_C);
    expect(await run.exitCode).toBe(0);
    expect(run.output()).not.toContain('\u001b[?25l');
  });

  it('waits until all are ready', async () => {
    for (const name of ['one', 'two']) await make(name);
    await report('one', READY);
    const run = atTerminal(80, ['--wait', 'two']);
    await shown(run, 'Pending');
    await report('two', RETRIED);
    await shown(run, 'eu is Failed');
    await report('two', READY);
    expect(await run.exitCode).toBe(0);
    const [titles, row, ...more] = screenOf(run.output());
    expect(titles).toMatch(/^APPLICATION +DESTINATION/);
    expect(row).toMatch(/^two .*✓ Ready +-$/);
    expect(more).toEqual([]);
  });

  it('tells by its exit code how a wait ended', async () => {
    for (const name of ['stalled', 'slow']) await make(name);
    await report('stalled', STALLED);
    await report('slow', RETRIED);
    const codes = [
      atTerminal(80, ['stalled', '--wait=Ready']),
      atTerminal(80, ['slow', '--wait', '--timeout', '1s']),
      atTerminal(80, ['nobody', '--wait']),
      atTerminal(80, ['slow', '--wait', '--timeout', '0s']),
      atTerminal(80, ['slow', '--wait=Healthy']),
      atTerminal(80, ['slow', '--wait', '--watch']),
      atTerminal(80, ['slow', '--timeout', '5m']),
    ].map(({ exitCode }) => exitCode);
    expect(await Promise.all(codes)).toEqual([1, 124, 1, 1, 1, 1, 1]);
    const interrupted = atTerminal(80, ['slow', '--wait']);
    await shown(interrupted, 'Failed');
    interrupted.type(CTRL_C);
    expect(await interrupted.exitCode).toBe(130);
  });

  it.each([
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
  ])('has symbols but no colours with %s', async (_, args, env) => {
    await make('plain');
    const run = atTerminal(80, ['plain', ...args], env);
    expect(await run.exitCode).toBe(0);
    expect(run.output()).toContain('● Pending');
    expect(run.output()).not.toContain('\u001b[');
  });
});
