import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { nextMetadata, withFinalizer } from '#controllers/application/model/status/console.js';
import { groupRows, type Row } from '#controllers/application/model/status/rows.js';
import type { Violation } from '#controllers/application/model/child/types.js';
import { application, deploy, files, filesApplication, reporting, rowsFor, well } from './builders.js';

const HELD = { finalizers: ['application.gitops.kubesphere.io'] };
const fresh = application([]);
const app: Application = { ...fresh, metadata: { ...fresh.metadata, ...HELD } };
const metadataOf = (
  of: Application,
  { rows, violation }: { rows: readonly Row[] | undefined; violation?: Violation },
) => nextMetadata(of, { rows: rows && groupRows(rows), violation });
const labelled = (labels: Record<string, string>) => ({ ...app, metadata: { ...app.metadata, labels } });

describe('the labels and annotations for the console', () => {
  it('contain the kind in both spellings, and how many destinations are ready', () => {
    const rows = rowsFor([deploy('a'), deploy('b')], (child) =>
      child.spec.targetNamespace === 'b' ? reporting(child, 'False', 'InstallFailed') : well(child),
    );
    expect(metadataOf(app, { rows })).toEqual({
      labels: {
        'gitops.kubesphere.io/ready-number': '1-2',
        'gitops.kubesphere.io/type': 'HelmRelease',
        'gitops.kubepshere.io/type': 'HelmRelease',
        'gitops.kubesphere.io/health-status': 'Degraded',
        'gitops.kubesphere.io/sync-status': 'OutOfSync',
      },
    });
  });

  it('distinguish files from charts', () => {
    const { labels } = metadataOf(filesApplication([files('a')]), { rows: [] }) ?? {};
    expect(labels).toMatchObject({ 'gitops.kubesphere.io/type': 'Kustomization' });
  });

  it('are none when all of them are there, whatever else is', () => {
    const rows = rowsFor([deploy('a')], well);
    const { labels = {} } = metadataOf(app, { rows }) ?? {};
    expect(metadataOf(labelled({ ...labels, team: 'shop' }), { rows })).toBeUndefined();
  });

  it('are only those that differ', () => {
    const rows = rowsFor([deploy('a')], well);
    const { labels = {} } = metadataOf(app, { rows }) ?? {};
    const old = labelled({ ...labels, 'gitops.kubesphere.io/ready-number': '0-1' });
    expect(metadataOf(old, { rows })).toEqual({ labels: { 'gitops.kubesphere.io/ready-number': '1-1' } });
  });

  it('show the lowest revision that runs', () => {
    const rows = rowsFor([deploy('a'), deploy('b')], (child) => ({
      ...well(child),
      status: { history: [{ chartVersion: child.spec.targetNamespace === 'a' ? '1.10.0' : '1.9.0' }] },
    }));
    expect(metadataOf(app, { rows })?.annotations).toEqual({ 'gitops.kubesphere.io/last-revision': '1.9.0' });
  });

  it('show the same revision in whatever order the destinations come', () => {
    const versions = ['1.10.0', '1.9.0', '1.9.0-rc.1'];
    const rows = rowsFor(
      versions.map((_, index) => deploy(`n${index}`)),
      (child) => {
        const chartVersion = versions[Number(child.spec.targetNamespace?.slice(1))] ?? '';
        return { ...well(child), status: { history: [{ chartVersion }] } };
      },
    );
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const turned = order.map((index) => rows[index]!);
      const { annotations } = metadataOf(app, { rows: turned }) ?? {};
      expect(annotations).toEqual({ 'gitops.kubesphere.io/last-revision': '1.9.0-rc.1' });
    }
  });

  it('report OutOfSync for an Application that is invalid as a whole, and the health of its children', () => {
    const violation = { reason: 'ChartMissing', message: 'no chart' } as const;
    const [health, sync] = ['gitops.kubesphere.io/health-status', 'gitops.kubesphere.io/sync-status'];
    const ran = labelled({ [health]: 'Healthy', [sync]: 'Synced' });
    const lost = metadataOf(ran, { rows: rowsFor([deploy('a')], well), violation });
    expect(lost?.labels).toMatchObject({ [sync]: 'OutOfSync' });
    expect(lost?.labels).not.toHaveProperty(health);
    const failing = rowsFor([deploy('a')], (child) => reporting(child, 'False', 'UpgradeFailed'));
    expect(metadataOf(ran, { rows: failing, violation })?.labels).toMatchObject({ [health]: 'Degraded' });
    expect(metadataOf(fresh, { rows: rowsFor([deploy('a')], (child) => child), violation })?.labels).toMatchObject({
      'gitops.kubesphere.io/type': 'HelmRelease',
      'gitops.kubesphere.io/ready-number': '0-1',
    });
  });

  it('keep Degraded while a failure is retried, until it succeeds or the Application is changed', () => {
    const health = 'gitops.kubesphere.io/health-status';
    const failed = { ...labelled({ [health]: 'Degraded' }), status: { observedGeneration: 1 } };
    const again = rowsFor([deploy('a')], (child) => reporting(child, 'Unknown', 'Progressing'));
    expect(metadataOf(failed, { rows: again })?.labels).not.toHaveProperty(health);
    expect(metadataOf(failed, { rows: rowsFor([deploy('a')], well) })?.labels).toMatchObject({ [health]: 'Healthy' });
    const edited = { ...failed, metadata: { ...failed.metadata, generation: 2 } };
    expect(metadataOf(edited, { rows: again })?.labels).toMatchObject({ [health]: 'Progressing' });
  });

  it('are none of an Application of another engine', () => {
    const violation = { reason: 'EngineNotAvailable', message: 'argocd' } as const;
    expect(metadataOf(app, { rows: undefined, violation })).toBeUndefined();
  });

  it('add our finalizer to an Application that is rolled out, after existing ones', () => {
    const rows = rowsFor([deploy('a')], well);
    expect(metadataOf(fresh, { rows })).toMatchObject(HELD);
    const others = { ...fresh, metadata: { ...fresh.metadata, finalizers: ['example.org/other'] } };
    const finalizers = ['example.org/other', ...HELD.finalizers];
    expect(metadataOf(others, { rows })).toMatchObject({ finalizers });
    const violation = { reason: 'TemplateNotFound', message: 'no such template' } as const;
    expect(metadataOf(fresh, { rows, violation })).not.toHaveProperty('finalizers');
    expect(metadataOf(app, { rows })).not.toHaveProperty('finalizers');
    expect(withFinalizer(app)).toBeUndefined();
  });
});
