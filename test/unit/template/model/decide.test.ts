import { describe, expect, it } from '@jest/globals';
import { decide, isKept, type Observed } from '#controllers/template/model/decide.js';
import { helmTemplate, UNUSED } from './builders.js';

const template = helmTemplate();
const observed: Observed = { template, violation: undefined, revisions: [], usage: UNUSED };
const violation = { reason: 'InvalidVersion', message: 'spec.chart.version: no' } as const;

describe('the plan for a template', () => {
  it('makes the first revision, and then nothing', () => {
    const first = decide(observed);
    expect([first.revision, isKept(first)]).toEqual([1, false]);
    const again = decide({ ...observed, revisions: [first.create!] });
    expect([again.revision, isKept(again)]).toEqual([1, true]);
  });

  it('leaves the history of one that cannot be used as it is', () => {
    const broken = { ...template, status: { revision: 3 } };
    const plan = decide({ ...observed, template: broken, violation });
    expect([plan.revision, plan.violation, isKept(plan)]).toEqual([3, violation, true]);
  });
});
