import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { application, CHART, files, filesApplication, SOURCE, type Deploy } from '../builders.js';
import { toClusters } from './builders.js';
import { APPROVE, pass, running, writes } from './passes.js';

function ofChart(chart: string, entry: Deploy): Application {
  const spec = { source: SOURCE, config: { helmRelease: { chart: { ...CHART, chart }, deploy: [entry] } } };
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } });
}

describe('an entry that replaces another one on its cluster', () => {
  const at = (namespace: string, more: Partial<Deploy> = {}): Deploy =>
    toClusters({ clusterRef: { kind: 'Secret', name: 'c0' }, targetNamespace: namespace }, more);
  const onHost = (more: Partial<Deploy> = {}): Deploy => ({ destination: { targetNamespace: 'web' }, ...more });
  const orphaned = (app: Application): Application => ({ ...app, spec: { ...app.spec, deletionPolicy: 'Orphan' } });
  const unnamed: Record<string, [Application, Application]> = {
    'a target namespace': [application([at('web')]), application([at('wbe')])],
    'a release name': [application([at('web')]), application([at('web', { releaseName: 'v2' })])],
    'a storage namespace': [application([at('web')]), application([at('web', { storageNamespace: 'x' })])],
    'a release name on the host': [application([onHost()]), application([onHost({ releaseName: 'v2' })])],
    'a release name and the name of the entry': [
      application([at('web', { name: 'a' })]),
      application([at('web', { name: 'b', releaseName: 'v2' })]),
    ],
    'a namespace of files': [filesApplication([files('web', 'c0')]), filesApplication([files('wbe', 'c0')])],
    'a release name whatever the limit is': [
      application([at('web')]),
      { ...application([at('wbe')]), spec: { ...application([at('wbe')]).spec, maxRemovals: '100%' } },
    ],
    'a release name while the policy is Orphan': [
      orphaned(application([at('web')])),
      orphaned(application([at('wbe')])),
    ],
  };
  it.each(Object.entries(unnamed))('waits for an approval without a selector: %s', (_, [before, after]) => {
    const children = running(before);
    const plan = pass(after, children);
    expect([writes(plan), plan.events]).toEqual([[], []]);
    expect(plan.finding.held?.message).toContain('instead');
    expect(plan.steps).toMatchObject([
      { op: 'wait', why: expect.stringMatching(/^waiting: it replaces \S+ \S+ .*is not removed yet/) },
      { op: 'spare', hold: 'Removal' },
    ]);
    const removals = plan.finding.removals ?? {};
    const annotations = { [APPROVE]: removals.approval ?? '' };
    const approved = pass(after, children, { status: { removals }, annotations });
    const [first] = writes(approved).filter((op) => op !== 'create');
    expect(first).toBe(after.spec.deletionPolicy === 'Orphan' ? 'suspend' : 'delete');
    // It is settled once the old one is gone.
    expect(writes(pass(after, []))).toEqual(['create']);
  });

  it.each<[string, Application, Application]>([
    ['an entry that is removed', application([at('web'), at('b')]), application([at('b')])],
    ['another chart under another name', ofChart('a', at('web')), ofChart('b', at('web', { releaseName: 'b' }))],
    [
      'files of another directory',
      filesApplication([files('a')]),
      filesApplication([files('b', undefined, { path: './b' })]),
    ],
    [
      'a destination on another cluster',
      application([at('web')]),
      application([toClusters({ clusterRef: { kind: 'Secret', name: 'c1' } })]),
    ],
  ])('needs no approval without a selector: %s', (_, before, after) => {
    expect(writes(pass(after, running(before)))).toContain('delete');
  });
});
