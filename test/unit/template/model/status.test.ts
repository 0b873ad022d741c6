import { describe, expect, it } from '@jest/globals';
import { nextStatus } from '#controllers/template/model/conclude.js';
import { helmTemplate, kustomizationTemplate, UNUSED } from './builders.js';

const NOW = Date.UTC(2026, 0, 1);
const violation = { reason: 'InvalidVersion', message: 'spec.chart.version: no' } as const;

describe('the status of a template', () => {
  it('says what a valid one is, and who uses it', () => {
    const usage = { ...UNUSED, usedBy: 2, chartVersionOf: () => '1.4.0' };
    expect(nextStatus(helmTemplate(), { violation: undefined, revision: 3, usage }, NOW)).toEqual({
      observedGeneration: 2,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Valid',
          message: 'revision 3: chart podinfo 1.x of HelmRepository shop/charts',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          observedGeneration: 2,
        },
      ],
      revision: 3,
      usedBy: 2,
      chartVersion: '1.4.0',
    });
  });

  it('names the path of files', () => {
    const verdict = { violation: undefined, revision: 1, usage: UNUSED };
    const [ready] = nextStatus(kustomizationTemplate({ path: './eu' }), verdict, NOW).conditions ?? [];
    expect(ready?.message).toBe('revision 1: ./eu of GitRepository shop/apps');
  });

  it('keeps the last valid revision of a broken one, and is stalled until it is mended', () => {
    const broken = nextStatus(helmTemplate(), { violation, revision: 3, usage: UNUSED }, NOW);
    expect(broken).toMatchObject({
      revision: 3,
      conditions: [
        { type: 'Ready', status: 'False', ...violation },
        { type: 'Stalled', status: 'True', ...violation },
      ],
    });
    const mended = nextStatus(
      helmTemplate({}, { status: broken }),
      { violation: undefined, revision: 4, usage: UNUSED },
      NOW,
    );
    expect(mended.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual(['Ready True']);
  });

  it('is the same after a pass in which nothing changed', () => {
    const verdict = { violation: undefined, revision: 3, usage: UNUSED };
    const once = nextStatus(helmTemplate(), verdict, NOW);
    expect(nextStatus(helmTemplate({}, { status: once }), verdict, NOW + 60_000)).toEqual(once);
  });
});
