import { expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { resumeRequest, suspendRequest, isHandled, syncRequest, type Handling } from '#queries/views/requests.js';
import { application, deploy, files, filesApplication, type Deploy } from '../../application/model/builders.js';

function suspended(app: Application, suspend = true): Application {
  const { fluxApp } = app.spec;
  const config = { ...fluxApp?.spec.config, suspend };
  return { ...app, spec: { ...app.spec, fluxApp: { spec: { ...fluxApp?.spec, config } } } };
}

const PLAIN = application([deploy('prod')]);
const OWN: Deploy[] = [
  deploy('a', 'eu', { suspend: true, name: 'eu' }),
  deploy('b', 'us', { paused: true }),
  deploy('c'),
];
const SAYS_NO = application([deploy('a', 'eu', { suspend: false }), deploy('b')]);
const ARGO: Application = { ...PLAIN, spec: { kind: 'argocd', argoApp: {} } };
const PINNED: Application = {
  ...PLAIN,
  metadata: { ...PLAIN.metadata, annotations: { 'gitops.kubesphere.io/pin-revision': '3' } },
};

const PINNED_CLUSTER: Application = {
  ...PLAIN,
  metadata: { ...PLAIN.metadata, annotations: { 'gitops.kubesphere.io/pin-cluster-revisions': 'eu=3' } },
};

it.each<[string, Application, string]>([
  ['one with a pinned cluster', PINNED_CLUSTER, 'pinned clusters are as their revisions say: eu'],
  ['an Application', PLAIN, 'nothing is reconciled until `fairlead resume web`'],
  ['one of files', filesApplication([files('prod')]), 'suspended: what runs stays'],
  ['one that an entry contradicts', SAYS_NO, 'not suspended, for they say so themselves: deploy[0]'],
])('suspends %s by one field', (_, app, says) => {
  expect(suspendRequest(app)).toEqual({
    annotations: {},
    spec: { fluxApp: { spec: { config: { suspend: true } } } },
    done: expect.stringContaining(says),
  });
});

it.each<[string, ReturnType<typeof suspendRequest>, string]>([
  ['to suspend twice', suspendRequest(suspended(PLAIN)), 'it is suspended already'],
  ['to suspend what is pinned', suspendRequest(PINNED), 'pinned to revision 3, which counts: `fairlead rollback web'],
  ['to suspend what is not reconciled', suspendRequest(ARGO), 'it has kind argocd'],
  ['to resume what runs', resumeRequest(PLAIN), 'it is not suspended'],
  [
    'to resume entries',
    resumeRequest(application(OWN)),
    'by themselves, where the Application comes from: eu, deploy[1]',
  ],
  ['to sync what is suspended', syncRequest({ application: suspended(PLAIN), at: 'x' }), '`fairlead resume web` first'],
  ['to sync what is not reconciled', syncRequest({ application: ARGO, at: 'x' }), 'it has kind argocd'],
])('refuses %s, and says why', (_, requested, says) => {
  expect(requested).toEqual({ problem: expect.stringContaining(says) });
});

it('resumes by removing the field, and names what stays suspended', () => {
  const spec = { fluxApp: { spec: { config: { suspend: null } } } };
  expect(resumeRequest(suspended(PLAIN))).toEqual({ annotations: {}, spec, done: 'resumed' });
  expect(resumeRequest(suspended(application(OWN)))).toMatchObject({
    spec,
    done: expect.stringContaining('eu, deploy[1]'),
  });
});

it('syncs by the annotations of Flux, all with one value', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const requested = syncRequest({ application: PLAIN, at, force: true, reset: true });
  const names = ['requestedAt', 'forceAt', 'resetAt'].map((name) => `reconcile.fluxcd.io/${name}`);
  expect('annotations' in requested && requested.annotations).toEqual(
    Object.fromEntries(names.map((name) => [name, at])),
  );
  expect(syncRequest({ application: PLAIN, at })).toMatchObject({ annotations: { [names[0] ?? '']: at } });
});

function child(handled: string | undefined, suspend = false): Handling {
  const status = handled === undefined ? {} : { status: { lastHandledReconcileAt: handled } };
  return { apiVersion: 'v2', kind: 'HelmRelease', metadata: { name: 'x' }, spec: { suspend }, ...status };
}

it.each<[string, string | undefined, Handling[], boolean]>([
  ['the Application has not seen it', 'old', [child('new')], false],
  ['a child has not seen it', 'new', [child('new'), child('old')], false],
  ['a child has no status', 'new', [child(undefined)], false],
  ['only a suspended child has not seen it', 'new', [child('new'), child(undefined, true)], true],
  ['all have seen it', 'new', [child('new')], true],
  ['all have seen a text that is no time', 'new', [child('newer')], false],
])('knows whether a request is handled: %s', (_, handled, children, expected) => {
  const app = { ...PLAIN, status: handled === undefined ? {} : { lastHandledReconcileAt: handled } };
  expect(isHandled(app, children, 'new')).toBe(expected);
});

it('takes a later request of somebody else for the own one, which it replaced', () => {
  const [at, later] = ['2026-01-01T00:00:01.000Z', '2026-01-01T01:00:02.5+01:00'];
  const app = { ...PLAIN, status: { lastHandledReconcileAt: later } };
  expect(isHandled(app, [child(later), child(at)], at)).toBe(true);
  expect(isHandled(app, [child('2026-01-01T00:00:00Z')], at)).toBe(false);
});
