import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fairlead } from '#bench/scenarios/shell.js';
import type { HistoryView } from '#queries/answers/revisions.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { eventually, useWorld } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { useHarness } from '../application/harness.js';

const PIN = 'gitops.kubesphere.io/pin-revision';

/** The built `fairlead`, next to the controller. */
describe('fairlead rollback and rollout', () => {
  const harness = useHarness();

  const put = (name: string, image: string, annotations: Record<string, string> = {}) => {
    const entries = [deploy('prod', 'eu', { values: { image } })];
    // A range would wait for source controllers, which do not run here.
    const helmRelease = { chart: { chart: 'podinfo', version: '6.7.1' }, deploy: entries };
    const fluxApp = { spec: { source: SOURCE, config: { helmRelease } } };
    const rollout = { stages: [{ name: 'rest', approval: true }] };
    const wanted = harness.wanted(name, entries);
    const metadata = { ...wanted.metadata, annotations };
    return harness.apply({ ...wanted, metadata, spec: { ...wanted.spec, revisionHistoryLimit: 5, rollout, fluxApp } });
  };
  const run = async (...args: string[]): Promise<string> => {
    const { host } = await useWorld();
    return fairlead(host, ...args, '-n', harness.namespace);
  };
  /** The exit code, and all that was printed. */
  const diff = async (...args: string[]): Promise<{ code: number; text: string }> => {
    const { host } = await useWorld();
    const place = ['--kubeconfig', host.kubeconfig, '-n', harness.namespace];
    const all = [`${PACKAGE_ROOT}/dist/cli/main.js`, 'diff', 'shop', ...place, ...args];
    return new Promise((resolve) => {
      const child = execFile(process.execPath, all, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
      );
    });
  };
  const annotationsOf = async (name: string) => (await harness.read(name)).metadata.annotations ?? {};

  /** Revision 1 is on eu, and 2 waits for an approval. */
  const expectHistory = async (): Promise<void> => {
    const field = 'config.helmRelease.deploy[0].values.image';
    const { revisions } = JSON.parse(await run('history', 'shop', '-o', 'json')) as HistoryView;
    expect(revisions).toMatchObject([
      { revision: 2, states: ['Current', 'RollingOut'], cause: '', clusters: [] },
      { revision: 1, cause: 'first try', changes: [], clusters: ['eu'] },
    ]);
    expect(revisions[0]?.changes).toEqual(['config.helmRelease.deploy[0].values.image']);
    expect(await run('history', 'shop')).toMatch(/^1 .* eu +first try$/m);
    expect(await diff('--from', '1')).toEqual({ code: 1, text: `${field}: "a" -> "b"\n` });
    expect(await diff('--from', '2', '--to', '2')).toEqual({ code: 0, text: '' });
    expect(await diff('--from', '7')).toMatchObject({
      code: 2,
      text: expect.stringContaining('revision 7 is not kept, only 2, 1'),
    });
  };

  it('approve, go back, stay there and go on', async () => {
    await put('shop', 'a', { 'kubernetes.io/change-cause': 'first try' });
    await eventually(async () => expect(await run('rollout', 'approve', 'shop')).toContain('stage rest of revision 1'));
    await eventually(async () => expect(await harness.childrenOf('shop')).toHaveLength(1));
    await put('shop', 'b');
    await eventually(async () => expect((await harness.read('shop')).status?.history?.revision).toBe(2));
    await expect(run('rollback', 'shop', '--to', '9')).rejects.toThrow('revision 9 is not kept, only 2, 1');
    await expectHistory();
    const before = await annotationsOf('shop');
    expect(await run('rollback', 'shop', '--dry-run')).toContain('dry run');
    expect(await annotationsOf('shop')).toEqual(before);
    expect(await run('rollback', 'shop')).toContain('pinned to revision 1 on all its clusters');
    expect((await annotationsOf('shop'))[PIN]).toBe('1');
    await eventually(async () => {
      expect((await harness.read('shop')).status?.history).toMatchObject({ revision: 2, pinned: '1' });
    });
    expect(await run('rollback', 'shop', '--release')).toContain('released');
    expect((await annotationsOf('shop'))[PIN]).toBeUndefined();
    await expect(run('rollback', 'shop', '--release')).rejects.toThrow('it is not pinned');
  });

  it('pause and resume, and tell of what is not there', async () => {
    await put('calm', 'a');
    expect(await run('rollout', 'pause', 'calm')).toContain('until `fairlead rollout resume`');
    await expect(run('rollout', 'pause', 'calm')).rejects.toThrow('it is paused already');
    expect(await run('rollout', 'resume', 'calm')).toContain('rollouts go on');
    await expect(run('rollout', 'abort', 'nobody')).rejects.toThrow('there is no Application nobody');
  });
});
