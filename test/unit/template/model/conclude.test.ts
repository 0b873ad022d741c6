import { describe, expect, it } from '@jest/globals';
import type { HelmTemplate } from '#api/v1alpha1/helm-template.js';
import { conclude } from '#controllers/template/model/conclude.js';
import { decide } from '#controllers/template/model/decide.js';
import { helmTemplate, UNUSED } from './builders.js';

const NOW = Date.UTC(2026, 0, 1);
const violation = { reason: 'InvalidVersion', message: 'spec.chart.version: no' } as const;
const seen = (template: HelmTemplate, more: object = {}) => ({
  template,
  violation: undefined,
  revisions: [],
  usage: UNUSED,
  ...more,
});

describe('what a pass over a template writes in the end', () => {
  const first = conclude(decide(seen(helmTemplate())), NOW);

  it('records a new revision, and a template that cannot be used', () => {
    const broken = conclude(decide(seen(helmTemplate(), { violation })), NOW);
    expect([...first.events, ...broken.events].map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Normal Revised',
      'Warning InvalidVersion',
    ]);
  });

  it('is nothing when nothing changed', () => {
    const again = helmTemplate({}, { status: first.status! });
    expect(conclude(decide(seen(again, { violation: undefined })), NOW + 60_000).status?.revision).toBe(2);
    const plan = { ...decide(seen(again)), revision: 1 };
    expect(conclude(plan, NOW + 60_000)).toMatchObject({ status: undefined, events: [] });
  });
});
