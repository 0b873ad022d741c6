import { describe, expect, it } from '@jest/globals';
import { firstLabels, nextMarks } from '../../../../controllers/application/model/marks.js';
import { application, deploy, files, filesApplication, reporting, rowsFor, well } from './builders.js';

const app = application([]);
const labelled = (labels: Record<string, string>) => ({ ...app, metadata: { ...app.metadata, labels } });

describe('the marks for the console', () => {
  it('tell the kind in both spellings, and how many destinations are ready', () => {
    const rows = rowsFor([deploy('a'), deploy('b')], (child) =>
      child.spec.targetNamespace === 'b' ? reporting(child, 'False', 'InstallFailed') : well(child),
    );
    expect(nextMarks(app, rows)).toEqual({
      labels: {
        'gitops.kubesphere.io/ready-number': '1-2',
        'gitops.kubesphere.io/type': 'HelmRelease',
        'gitops.kubepshere.io/type': 'HelmRelease',
      },
    });
  });

  it('tell files from charts', () => {
    const { labels } = nextMarks(filesApplication([files('a')]), []) ?? {};
    expect(labels).toMatchObject({ 'gitops.kubesphere.io/type': 'Kustomization' });
  });

  it('are none when all of them are there, whatever else is', () => {
    const rows = rowsFor([deploy('a')], well);
    const { labels = {} } = nextMarks(app, rows) ?? {};
    expect(nextMarks(labelled({ ...labels, team: 'shop' }), rows)).toBeUndefined();
  });

  it('are only those that differ', () => {
    const rows = rowsFor([deploy('a')], well);
    const { labels = {} } = nextMarks(app, rows) ?? {};
    const old = labelled({ ...labels, 'gitops.kubesphere.io/ready-number': '0-1' });
    expect(nextMarks(old, rows)).toEqual({ labels: { 'gitops.kubesphere.io/ready-number': '1-1' } });
  });

  it('show the lowest revision that runs', () => {
    const rows = rowsFor([deploy('a'), deploy('b')], (child) => ({
      ...well(child),
      status: { history: [{ chartVersion: child.spec.targetNamespace === 'a' ? '1.10.0' : '1.9.0' }] },
    }));
    expect(nextMarks(app, rows)?.annotations).toEqual({ 'gitops.kubesphere.io/last-revision': '1.9.0' });
  });

  it('are there from the first write on, so that a pass in which nothing is Ready yet writes none', () => {
    const fresh = application([deploy('prod'), deploy('test')]);
    const labels = firstLabels(fresh, 2);
    expect(labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '0-2' });
    const marked = { ...fresh, metadata: { ...fresh.metadata, labels: { ...fresh.metadata.labels, ...labels } } };
    expect(
      nextMarks(
        marked,
        rowsFor([deploy('prod'), deploy('test')], (child) => child),
      ),
    ).toBeUndefined();
  });
});
