import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject } from '#api/meta.js';
import { startHelmRepository } from '#sandbox/helm-repository.js';
import type { HttpServer } from '#sandbox/world/ports.js';
import { faultsOf, runKillScenario } from '#bench/scenarios/kill.js';
import { BOUNDARY_CASES, REQUESTED, STEPS, type BoundaryCase } from '../apiserver/helmrelease/boundary-cases.js';
import { allRevisions, rewriteRevision } from '../apiserver/helmrelease/stored-revisions.js';
import { createHarness, type Harness } from '../apiserver/helmrelease/harness.js';
import { useSetup } from '../support/fixture.js';
import { eventually } from '../support/world.js';

/** For all actions together, on a busy machine. */
const SOON = { timeoutMs: 300_000, intervalMs: 300 };
const HOLD = 'test.fairlead.dev/hold';

/**
 * What an action has to wait for, because it deletes it: an object that a finalizer holds. And how storage looks then.
 */
const HELD: Readonly<Record<string, { readonly object: string; readonly revisions: readonly string[] }>> = {
  install: { object: 'before', revisions: ['1 pending-install'] },
  upgrade: { object: 'after', revisions: ['1 deployed', '2 pending-upgrade'] },
  rollback: { object: 'before', revisions: ['1 deployed', '2 failed', '3 pending-rollback'] },
  remedy: { object: 'extra', revisions: ['1 uninstalling'] },
  uninstall: { object: 'extra', revisions: ['1 uninstalling'] },
  test: { object: 'check', revisions: ['1 deployed'] },
  unlock: { object: 'after', revisions: ['1 failed', '2 pending-upgrade'] },
};

const setup = useSetup(['--concurrent', String(BOUNDARY_CASES.length + 1)]);

describe('the controller is killed (-9) during roll-outs', () => {
  it('ends each time in the wanted state, without a duplicate child or a second deployed revision', async () => {
    const outcomes = await runKillScenario(setup, { seed: 4, kills: 3 });
    expect(outcomes.flatMap(faultsOf)).toEqual([]);
    expect(outcomes).toHaveLength(3);
  }, 900_000);
});

describe('the controller is killed (-9) in the middle of every action of Helm at once', () => {
  let harness: Harness;
  let server: HttpServer;

  beforeAll(async () => {
    harness = await createHarness('hr-kill');
    await harness.publish('steps', '1.0.0', STEPS);
    const folder = path.dirname(harness.chartFile('steps', '1.0.0'));
    await promisify(execFile)(harness.world.tools.helm, ['repo', 'index', folder]);
    server = await startHelmRepository(folder);
    const repository: KubeObject & { spec: object } = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata: { name: 'charts', namespace: harness.namespace },
      spec: { url: `${server.origin}/charts`, interval: '10m' },
    };
    await harness.host.create(helmRepositoryResource, repository);
  });

  afterAll(async () => {
    await harness.close();
    await server.close();
  });

  function specify(name: string, spec: object): Promise<void> {
    const chart = { spec: { chart: 'steps', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
    return harness.apply(name, {
      chart,
      timeout: '10m',
      targetNamespace: harness.namespace,
      storageNamespace: harness.namespace,
      ...spec,
    } as Partial<HelmRelease['spec']>);
  }

  /**
   * A ConfigMap of a release that cannot be deleted until `release` is called; one that is there already stays as it
   * is.
   */
  async function hold(action: string): Promise<void> {
    const metadata = {
      name: `${action}-${HELD[action]?.object ?? ''}`,
      namespace: harness.namespace,
      finalizers: [HOLD],
    };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    await harness.member.apply(configMapResource, object, { fieldManager: 'hold', force: true });
  }

  async function release(action: string): Promise<void> {
    const ref = { name: `${action}-${HELD[action]?.object ?? ''}`, namespace: harness.namespace };
    await harness.member.patch(configMapResource, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
  }

  async function ask({ action, wish }: BoundaryCase): Promise<void> {
    const ref = { name: action, namespace: harness.namespace };
    if (wish === 'delete') await harness.host.delete(helmReleaseResource, ref);
    else if (wish !== 'lock') await specify(action, wish);
    else {
      await rewriteRevision(harness, action, 1, { status: 'pending-upgrade' });
      const annotations = { 'reconcile.fluxcd.io/requestedAt': REQUESTED };
      await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata: { annotations } } });
    }
  }

  async function revisions(): Promise<Record<string, string[]>> {
    const all = await allRevisions(harness.member);
    return Object.fromEntries(
      BOUNDARY_CASES.map(({ action }) => [action, all.get(`${harness.namespace}/${action}`) ?? []]),
    );
  }

  it('the next one brings all of them to rest, with one revision more at most', async () => {
    const prepared = BOUNDARY_CASES.filter(({ before }) => before !== undefined);
    await Promise.all(prepared.map(({ action, before = {} }) => specify(action, before)));
    await Promise.all(prepared.map(({ action }) => harness.untilReady(action)));
    await Promise.all(BOUNDARY_CASES.map(({ action }) => hold(action)));
    await Promise.all(BOUNDARY_CASES.map(ask));
    await eventually(async () => {
      expect(await revisions()).toEqual(
        Object.fromEntries(Object.entries(HELD).map(([action, held]) => [action, held.revisions])),
      );
      const check = await harness.configMap('test-check');
      expect(check?.metadata.deletionTimestamp).toBeDefined();
    }, SOON);
    const { pid } = setup.controller;
    await setup.restart('kill');
    expect(setup.controller.pid).not.toBe(pid);
    await Promise.all(BOUNDARY_CASES.map(({ action }) => release(action)));
    await eventually(async () => {
      const found = BOUNDARY_CASES.map(async ({ action, isSettled }) => {
        const now = await harness.host.get<HelmRelease>(helmReleaseResource, {
          name: action,
          namespace: harness.namespace,
        });
        return isSettled(now) ? [] : [`${action}: ${JSON.stringify(now?.status)}`];
      });
      expect((await Promise.all(found)).flat()).toEqual([]);
    }, SOON);
    expect(await revisions()).toEqual({
      install: ['1 failed', '2 deployed'],
      upgrade: ['1 superseded', '2 failed', '3 deployed'],
      rollback: ['1 superseded', '2 failed', '3 failed', '4 deployed'],
      remedy: ['1 failed'],
      uninstall: [],
      test: ['1 deployed'],
      unlock: ['1 failed', '2 failed', '3 deployed'],
    });
  });
});
