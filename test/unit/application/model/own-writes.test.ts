import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { isOwnWrite } from '#controllers/application/mappings.js';
import { application } from './builders.js';

const HELD = { finalizers: ['application.gitops.kubesphere.io'] };
const fresh = application([]);
const app: Application = { ...fresh, metadata: { ...fresh.metadata, ...HELD } };

const labelled = (labels: Record<string, string>) => ({ ...app, metadata: { ...app.metadata, labels } });

describe('a change of an Application', () => {
  const { metadata } = app;
  const marked = labelled({ 'gitops.kubesphere.io/ready-number': '1-2', 'gitops.kubesphere.io/type': 'HelmRelease' });
  const revision = { ...metadata, annotations: { 'gitops.kubesphere.io/last-revision': '1.0.0' } };

  it.each<[what: string, verdict: 'our own' | 'news', changed: typeof app]>([
    ['of the status', 'our own', { ...app, status: { observedGeneration: 1 } }],
    ['of the marks', 'our own', marked],
    ['of the last revision', 'our own', { ...app, metadata: revision }],
    ['of our finalizer', 'our own', fresh],
    ['of the spec', 'news', { ...app, metadata: { ...metadata, generation: 9 } }],
    ['of a label', 'news', labelled({ team: 'blue' })],
    ['of a request', 'news', { ...app, metadata: { ...metadata, annotations: { ask: 'now' } } }],
    ['that deletes it', 'news', { ...app, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ])('%s is %s', (_, verdict, changed) => {
    expect(isOwnWrite(changed, app)).toBe(verdict === 'our own');
    expect(isOwnWrite(app, changed)).toBe(verdict === 'our own');
  });

  it('that brings it is none', () => {
    expect(isOwnWrite(app, undefined)).toBe(false);
  });
});
