import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fairlead } from '#bench/scenarios/shell.js';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { limitedUser } from '../../support/limited-user.js';
import { CTRL_C, fairleadAtTerminal } from '../../support/terminal.js';
import { eventually, useWorld } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { useHarness } from '../application/harness.js';

/** The built `fairlead`, next to the controller; what the engine would write is written by the test. */
describe('fairlead apply, sync, suspend and resume', () => {
  const harness = useHarness();

  const fileWith = async (name: string, ...objects: readonly object[]): Promise<string> => {
    const file = path.join((await useWorld()).dir, `${harness.namespace}-${name}.yaml`);
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    return file;
  };
  const run = async (...args: string[]): Promise<string> => {
    const { host } = await useWorld();
    return fairlead(host, ...args, '-n', harness.namespace);
  };
  const configMap = (name: string, data: object, more: object = {}): object => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data },
  });
  const dataOf = async (name: string): Promise<unknown> =>
    (await harness.kube.get<KubeObject & { data?: unknown }>(configMapResource, { name, namespace: harness.namespace }))
      ?.data;
  const childOf = async (name: string) => {
    const [child] = await harness.childrenOf(name);
    if (child === undefined) throw new Error('no child yet');
    return child;
  };

  it('applies as kubectl does: created, configured, unchanged, and no fields of others', async () => {
    const file = await fileWith('map', configMap('a', { color: 'red' }));
    expect(await run('apply', '-f', file, '--server-dry-run')).toContain(
      'a created (server dry run: nothing is written)',
    );
    expect(await dataOf('a')).toBeUndefined();
    expect(await run('apply', '-f', file)).toContain(`ConfigMap ${harness.namespace}/a created`);
    expect(await run('apply', '-f', file)).toContain('a unchanged');
    const ref = { name: 'a', namespace: harness.namespace };
    await harness.kube.patch(
      configMapResource,
      ref,
      { type: 'merge', body: { data: { color: 'blue' } } },
      { fieldManager: 'other' },
    );
    await expect(run('apply', '-f', file)).rejects.toThrow(/ConfigMap \S+\/a: .*conflict.*other/s);
    expect(await dataOf('a')).toEqual({ color: 'blue' });
    expect(await run('apply', '-f', file, '--force-conflicts')).toContain('a configured');
    expect(await dataOf('a')).toEqual({ color: 'red' });
  });

  it('applies the others when one is refused, and writes nothing when a file is wrong', async () => {
    const bad = await fileWith('bad', configMap('b', { a: 1 }), configMap('c', { a: 'b' }));
    await expect(run('apply', '-f', bad)).rejects.toThrow(/ConfigMap \S+\/b: /);
    expect(await dataOf('c')).toEqual({ a: 'b' });
    const elsewhere = await fileWith('elsewhere', configMap('d', {}), configMap('e', {}, { namespace: 'kube-system' }));
    await expect(run('apply', '-f', elsewhere)).rejects.toThrow(/ConfigMap kube-system\/e is not in namespace/);
    expect(await dataOf('d')).toBeUndefined();
    await expect(run('apply', '-f', bad, '-f', `${bad}-missing`)).rejects.toThrow(/cannot read .*-missing/);
  });

  it('leaves what it applied when it is interrupted while it waits, and says so', async () => {
    const { host } = await useWorld();
    const file = await fileWith('app', harness.wanted('waiting', [deploy('prod', 'eu')]));
    const flags = ['-n', harness.namespace, '--kubeconfig', host.kubeconfig];
    const terminal = fairleadAtTerminal(['apply', '-f', file, '--wait', ...flags], { columns: 100 });
    await eventually(() => expect(terminal.output()).toContain('waiting created'));
    await eventually(async () => expect(await harness.childrenOf('waiting')).toHaveLength(1));
    terminal.type(CTRL_C);
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.output()).toContain('waiting stays applied');
    expect(await harness.childrenOf('waiting')).toHaveLength(1);
  });

  it('reads the standard input, and gives up in time with exit code 124', async () => {
    const { host } = await useWorld();
    const wanted = harness.wanted('timed', [deploy('prod', 'us')]);
    const args = [
      `${PACKAGE_ROOT}/dist/cli/main.js`,
      'apply',
      '-f',
      '-',
      '--wait',
      '--timeout',
      '3s',
      '-n',
      harness.namespace,
    ];
    const env = { ...process.env, KUBECONFIG: host.kubeconfig };
    const code = await new Promise((resolve) => {
      const child = execFile(process.execPath, args, { env }, (error) => resolve(error?.code));
      child.stdin?.end(JSON.stringify(wanted));
    });
    expect(code).toBe(124);
    expect(await harness.read('timed')).toBeDefined();
  });

  it('suspends and resumes what runs, and syncs it once', async () => {
    await harness.apply(harness.wanted('shop', [deploy('prod', 'eu')]));
    await eventually(() => childOf('shop'));
    expect(await run('suspend', 'shop', '--dry-run')).toContain('dry run: nothing is written');
    expect(await run('suspend', 'shop')).toContain('until `fairlead resume shop`');
    await eventually(async () => expect((await childOf('shop')).spec).toMatchObject({ suspend: true }));
    await expect(run('suspend', 'shop')).rejects.toThrow('it is suspended already');
    await expect(run('sync', 'shop')).rejects.toThrow('it is suspended: `fairlead resume shop` first');
    expect(await run('resume', 'shop')).toContain('resumed');
    await eventually(async () => expect((await childOf('shop')).spec.suspend).not.toBe(true));
    const asked = run('sync', 'shop', '--force', '--wait', '--timeout', '5s');
    await eventually(async () => {
      const { annotations = {} } = (await childOf('shop')).metadata;
      const at = annotations['reconcile.fluxcd.io/requestedAt'];
      expect(at).toMatch(/^20/);
      expect(annotations['reconcile.fluxcd.io/forceAt']).toBe(at);
    });
    // No engine answers.
    await expect(asked).rejects.toThrow('the request was not carried out in time');
  });

  it('asks for nothing if what it should wait for may not be read', async () => {
    const { metadata } = await harness.apply(harness.wanted('unseen', [deploy('prod', 'us')]));
    const world = await useWorld();
    const { namespace } = harness;
    const applications = ['applications.gitops.kubesphere.io'];
    const rights = { list: applications, get: applications, patch: applications };
    const kubeconfig = await limitedUser(world, namespace, { name: 'unseeing', ...rights });
    const sync = (...args: string[]) =>
      fairlead({ ...world.host, kubeconfig }, 'sync', 'unseen', '-n', namespace, ...args);
    await expect(sync('--wait')).rejects.toThrow(
      `--wait waits for HelmReleases in namespace ${namespace}, which you may not list: leave it out`,
    );
    expect((await harness.read('unseen')).metadata.annotations).toEqual(metadata.annotations);
    expect(await sync()).toContain('are reconciled now');
  });

  it('waits for a sync until the children have carried it out', async () => {
    await harness.apply(harness.wanted('synced', [deploy('prod', 'us')]));
    await eventually(() => childOf('synced'));
    const asked = run('sync', 'synced', '--wait', '--timeout', '60s');
    const { at, name, generation } = await eventually(async () => {
      const { metadata } = await childOf('synced');
      const requested = metadata.annotations?.['reconcile.fluxcd.io/requestedAt'];
      if (requested === undefined) throw new Error('not requested yet');
      return { at: requested, name: metadata.name, generation: metadata.generation };
    });
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'UpgradeSucceeded',
      message: 'done',
      observedGeneration: generation,
    };
    const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const status = { observedGeneration: generation, lastHandledReconcileAt: at, conditions };
    const ref = { name, namespace: harness.namespace };
    await harness.kube.patch(helmReleaseResource, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
    expect(await asked).toMatch(/synced .*Ready/);
  });
});
