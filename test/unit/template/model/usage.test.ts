import { describe, expect, it } from '@jest/globals';
import type { TemplateInUse } from '#api/v1alpha1/template.js';
import { usageOf } from '#controllers/template/model/usage.js';
import { helmTemplate, user } from './builders.js';

const web = (revision: number): TemplateInUse => ({ kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision });

describe('the usage of a template', () => {
  const users = [
    user([web(3)], '1.2.0'),
    user([web(3)], '1.10.0', '1.11.0', '2.0.0'),
    user([web(3)], 'main@sha1:1234'),
    user([web(3)]),
    user([web(1), { ...web(8), kind: 'KustomizationTemplate' }], '9.0.0'),
  ];
  const usage = usageOf(helmTemplate(), users);

  it('counts Applications, and the revisions that they use', () => {
    expect(usage).toMatchObject({ usedBy: 5, revisions: new Set([3, 1]) });
  });

  it('knows the newest chart version of a revision', () => {
    expect(usage.chartVersionOf(3)).toBe('1.10.0');
    expect(usage.chartVersionOf(1)).toBe('9.0.0');
    expect(usage.chartVersionOf(2)).toBeUndefined();
  });

  it('reads a status of an earlier version, which has revisions as text only', () => {
    const older = user([web(2)]);
    const users = [{ ...older, status: { ...older.status, revision: '1.3.0 (+2)' } }];
    expect(usageOf(helmTemplate(), users).chartVersionOf(2)).toBe('1.3.0');
  });
});
