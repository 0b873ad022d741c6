import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import { isRevisionOf, planRevisions, type RevisionPlan } from '#controllers/template/model/revisions.js';
import { helmTemplate } from './builders.js';

function versioned(version: string): Template {
  return helmTemplate({ chart: { chart: 'podinfo', version } });
}

function after(kept: readonly TemplateRevision[], { create, remove }: RevisionPlan): TemplateRevision[] {
  return [...kept, ...(create === undefined ? [] : [create])].filter((each) => !remove.includes(each));
}

/** The history after a template had these chart versions; `used` are in use from when they exist. */
function historyOf(versions: readonly string[], used: readonly number[] = []): TemplateRevision[] {
  return versions.reduce<TemplateRevision[]>((kept, version) => {
    const existing = used.filter((number) => kept.some(({ revision }) => revision === number));
    return after(kept, planRevisions(versioned(version), kept, new Set(existing)));
  }, []);
}

describe('the history of a template', () => {
  it('begins with revision 1, which the template owns', () => {
    const { create, revision, remove } = planRevisions(versioned('1.0.0'), [], new Set());
    expect({ revision, remove }).toEqual({ revision: 1, remove: [] });
    expect(create).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^web-[a-z2-7]{10}$/),
        namespace: 'shop',
        labels: { 'gitops.kubesphere.io/revision-of': 'HelmTemplate' },
        ownerReferences: [{ kind: 'HelmTemplate', name: 'web', uid: 'template-uid', controller: true }],
      },
      data: { spec: { chart: { version: '1.0.0' } } },
      revision: 1,
    });
  });

  it('gets no revision from a grant', () => {
    const kept = historyOf(['1.0.0']);
    const shared = helmTemplate({ chart: { chart: 'podinfo', version: '1.0.0' }, sharedWith: { namespaces: ['a'] } });
    expect(planRevisions(shared, kept, new Set())).toEqual({ remove: [], revision: 1 });
    expect(planRevisions(shared, [], new Set()).create?.data.spec).not.toHaveProperty('sharedWith');
  });

  it('gets a new revision from a step back, for numbers do not move', () => {
    const history = historyOf(['1.0.0', '2.0.0', '1.0.0']);
    expect(history.map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(new Set(history.map(({ metadata }) => metadata.name)).size).toBe(3);
  });

  it('keeps ten revisions, and those in use', () => {
    const versions = Array.from({ length: 14 }, (_, index) => `1.${index}.0`);
    expect(historyOf(versions).map(({ revision }) => revision)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(historyOf(versions, [2]).map(({ revision }) => revision)).toContain(2);
  });

  it('continues counting when its revisions were deleted', () => {
    const template = { ...versioned('1.0.0'), status: { revision: 7 } };
    expect(planRevisions(template, [], new Set()).revision).toBe(8);
  });

  it('continues after the numbers in use when the template was recreated', () => {
    expect(planRevisions(versioned('1.0.0'), [], new Set([1, 4])).create?.revision).toBe(5);
    const kept = historyOf(['1.0.0']);
    expect(planRevisions(versioned('1.0.0'), kept, new Set([1]))).toEqual({ remove: [], revision: 1 });
  });

  it('is that of one template, not of the one that had the name before', () => {
    const [revision] = historyOf(['1.0.0']);
    const template = versioned('1.0.0');
    const later: Template = { ...template, metadata: { ...template.metadata, uid: 'later' } };
    expect([isRevisionOf(revision!, template), isRevisionOf(revision!, later)]).toEqual([true, false]);
    expect(planRevisions(later, [], new Set()).create?.metadata.name).not.toBe(revision?.metadata.name);
  });

  it('ends with the spec of the template, and is then left unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('1.0.0', '1.1.0', '2.0.0'), { minLength: 1, maxLength: 30 }), (versions) => {
        const history = historyOf(versions);
        const last = history.at(-1)!;
        const plan = planRevisions(versioned(versions.at(-1)!), history, new Set());
        expect(plan).toEqual({ remove: [], revision: last.revision });
        expect(last.data.spec).toMatchObject({ chart: { version: versions.at(-1) } });
        expect(history.length).toBeLessThanOrEqual(10);
      }),
    );
  });
});
