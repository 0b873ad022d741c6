import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { matchWithOrphans } from '#controllers/application/model/children/left-behind.js';
import type { Child, RejectedEntry } from '#controllers/application/model/child/types.js';
import { application, applied, CHART, deploy, entriesOf, files, filesApplication, work } from './builders.js';

const left = (child: Child): Child => ({ ...child, metadata: { ...child.metadata, ownerReferences: [] } });
const orphanOf = (app: Application): Child => applied([], work(app).steps).map(left)[0]!;
const taken = (app: Application, orphan: Child): Child | undefined => {
  const entries = entriesOf(app);
  return matchWithOrphans(app, entries, [orphan]).childOf.get(entries[0]!);
};

const eu = deploy('prod', 'eu');
const history = [{ name: 'web', namespace: 'prod', version: 1, chartName: 'podinfo', status: 'deployed' }];
const release: Child = { ...orphanOf(application([eu])), status: { history, storageNamespace: 'prod' } };
const withChart = (chart: string): Application => {
  const app = application([eu]);
  const config = { helmRelease: { chart: { ...CHART, chart }, deploy: [eu] } };
  return { ...app, spec: { ...app.spec, fluxApp: { spec: { ...app.spec.fluxApp!.spec, config } } } };
};
const filesAt = (path: string, name?: string): Application =>
  filesApplication([files('prod', 'eu', { path, ...(name === undefined ? {} : { name }) })]);
const apps = orphanOf(filesAt('./apps'));

describe('what an Application left behind', () => {
  it.each<[string, Application, Child]>([
    ['a release', application([{ ...eu, values: { a: 1 } }]), release],
    ['a release without a status', application([{ ...eu, values: { a: 1 } }]), orphanOf(application([eu]))],
    [
      'what was never installed',
      withChart('nginx'),
      { ...release, status: { observedGeneration: 1, lastAttemptedGeneration: 1 } },
    ],
    ['files', filesAt('apps/'), apps],
  ])('is taken over where it stays: %s', (_, app, orphan) => {
    expect(taken(app, orphan)).toBe(orphan);
  });

  it.each<[string, Application, Child, string]>([
    [
      'chart',
      withChart('nginx'),
      release,
      'chart name podinfo -> nginx): to keep that and deploy this as well, set another releaseName',
    ],
    [
      'chart, if a restore lost the status,',
      withChart('nginx'),
      orphanOf(application([eu])),
      'chart name podinfo -> nginx): to keep that and deploy this as well, set another releaseName',
    ],
    ['path', filesAt('./extra'), apps, 'path apps -> extra): to keep that and deploy this as well, set another name'],
  ])('keeps an entry with another %s waiting', (_, app, orphan, why) => {
    expect(taken(app, orphan)).toBeUndefined();
    const { steps, rejected } = work(app, [], { adoptable: [orphan] });
    expect(steps.map(({ op }) => op)).toEqual(['wait']);
    const [{ violation }] = rejected as [RejectedEntry];
    expect(violation.reason).toBe('ReleaseConflict');
    expect(violation.message).toContain(`would lose what it deployed (${why}`);
  });

  it('keeps files that read another source waiting', () => {
    const sourceRef = { kind: 'GitRepository', name: 'other' };
    expect(taken(filesAt('./apps'), { ...apps, spec: { ...apps.spec, sourceRef } })).toBeUndefined();
  });

  it('is left alone where the entry of its name has another release', () => {
    const main = deploy('prod', 'eu', { name: 'main' });
    const orphan = orphanOf(application([main]));
    const { steps } = work(application([{ ...main, releaseName: 'other' }]), [], { adoptable: [orphan] });
    expect(steps.map(({ op }) => op)).toEqual(['create']);
  });

  it('is left alone by files of another path and name in the same place', () => {
    expect(work(filesAt('./extra', 'new'), [], { adoptable: [apps] }).steps.map(({ op }) => op)).toEqual(['create']);
  });
});

describe('a plain object that is offered', () => {
  const vars = (name: string, tenant: string) =>
    files('prod', 'eu', { name, path: './t', postBuild: { substitute: { tenant } } });
  const [own] = applied([], work(filesApplication([vars('a', 'one')])).steps);
  const plain: Child = {
    ...own!,
    metadata: { name: 'plain', namespace: 'shop', uid: 'p', annotations: { [OFFERED_TO_ANNOTATION]: 'uid-1' } },
    spec: { ...own!.spec, sourceRef: { kind: 'GitRepository', name: 'other', namespace: 'shop' } },
  };

  it('never moves a child to another entry', () => {
    const edited = filesApplication([vars('b', 'one'), vars('a', 'two')]);
    const { steps } = work(edited, [own!], { adoptable: [plain] });
    expect(steps).toEqual(work(edited, [own!]).steps);
    expect(steps.map(({ op }) => op)).toEqual(['update', 'wait']);
  });
});
