import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import type { Template } from '#api/v1alpha1/template.js';
import type { PlannedChild } from '#queries/answers/plans.js';
import { asIf, planDifference } from '#queries/plans/template-change.js';

const sourceRef = { kind: 'HelmRepository' as const, name: 'charts', namespace: 'shop' };
const TEMPLATE: Template = {
  ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate' },
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { sourceRef, chart: { chart: 'web', version: '1.0.0' }, sharedWith: { namespaces: ['a'] } },
};
const NEXT = { sourceRef, chart: { chart: 'web', version: '2.0.0' } };
const revisionOf = (uid: string, namespace = 'shop'): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision' },
  metadata: { name: 'r', namespace, ownerReferences: [{ apiVersion: 'x', kind: 'HelmTemplate', name: 'web', uid }] },
});

describe('objects as if a template said something else', () => {
  const replace = asIf(TEMPLATE, NEXT);

  it('are the template, which can be used, by whom it is shared with', () => {
    expect(replace(TEMPLATE)).toMatchObject({
      ...{ metadata: TEMPLATE.metadata, spec: { ...NEXT, sharedWith: { namespaces: ['a'] } } },
      status: { revision: 1, conditions: [{ type: 'Ready', status: 'True' }] },
    });
  });

  it('are its revisions', () => {
    expect(replace(revisionOf('u'))).toMatchObject({ data: { spec: NEXT } });
  });

  it.each<[string, KubeObject]>([
    ['another template', { ...TEMPLATE, metadata: { ...TEMPLATE.metadata, uid: 'other' } }],
    ['one of the other kind', { ...TEMPLATE, kind: 'KustomizationTemplate' }],
    ['a revision of another one', revisionOf('other')],
    ['a revision that a stranger says is of it', revisionOf('u', 'evil')],
  ])('are not %s', (_, object) => {
    expect(replace(object)).toBe(object);
  });
});

describe('the difference of two plans', () => {
  const child = (cluster: string, action: PlannedChild['action']): PlannedChild => ({
    ...{ cluster, action, entry: 'deploy[0]', namespace: 'x', release: 'web', kind: 'HelmRelease', name: 'web' },
    why: '',
  });
  const problem = (message: string) => ({ field: '', message });

  it('is what only the second one does', () => {
    const before = { children: [child('eu', 'keep'), child('us', 'change')], problems: [problem('a')], notes: [] };
    const after = {
      children: [child('eu', 'change'), child('us', 'change')],
      problems: [problem('a'), problem('b')],
      notes: ['n'],
    };
    expect(planDifference(before, after)).toEqual({
      ...{ children: [child('eu', 'change')], problems: [problem('b')], notes: ['n'], unchanged: 1 },
    });
  });

  it('is nothing for the same plan', () => {
    const plan = { children: [child('eu', 'keep')], problems: [problem('a')], notes: [] };
    expect(planDifference(plan, plan)).toEqual({ children: [], problems: [], notes: [], unchanged: 1 });
  });
});
