import { describe, expect, it } from '@jest/globals';
import type { Template } from '#api/v1alpha1/template.js';
import { findViolation } from '#controllers/template/model/validate.js';
import { helmTemplate, kustomizationTemplate } from './builders.js';

const OPEN = { allowCrossNamespace: true };
const CLOSED = { allowCrossNamespace: false };
const ELSEWHERE = { kind: 'GitRepository', name: 'apps', namespace: 'other' } as const;

function selecting(operator: 'In' | 'Exists', values?: string[]): Template {
  const requirement = { key: 'team', operator, ...(values === undefined ? {} : { values }) };
  return kustomizationTemplate({ sharedWith: { selector: { matchExpressions: [requirement] } } });
}

describe('a template', () => {
  it.each<[string, Template, string, RegExp]>([
    [
      'a range that is none',
      helmTemplate({ chart: { chart: 'web', version: 'newest' } }),
      'InvalidVersion',
      /"newest"/,
    ],
    ['In without values', selecting('In', []), 'InvalidSelector', /matchExpressions\[0\]\.values: In needs values/],
    ['Exists with values', selecting('Exists', ['a']), 'InvalidSelector', /Exists takes no values/],
  ])('cannot be used with %s', (_name, template, reason, message) => {
    expect(findViolation(template, OPEN)).toEqual({ reason, message: expect.stringMatching(message) });
  });

  it.each<[string, Template]>([
    ['a chart alone', helmTemplate()],
    ['no version', helmTemplate({ chart: { chart: 'web' } })],
    ['a schema', helmTemplate({ valuesSchema: { type: 'object' } })],
    ['files alone', kustomizationTemplate()],
    ['a selector', selecting('In', ['shop'])],
    ['a selector without values', selecting('Exists')],
  ])('can be used with %s', (_name, template) => {
    expect(findViolation(template, CLOSED)).toBeUndefined();
  });

  it('cannot be used with an invalid schema, or one that takes too long', () => {
    expect(findViolation(helmTemplate(), { ...OPEN, schemaProblem: 'it is too much' })).toEqual({
      reason: 'InvalidSchema',
      message: 'spec.valuesSchema cannot be used: it is too much',
    });
  });

  it('may have a source in another namespace only where that is allowed', () => {
    const template = kustomizationTemplate({ sourceRef: ELSEWHERE });
    expect(findViolation(template, OPEN)).toBeUndefined();
    expect(findViolation(template, CLOSED)).toEqual({
      reason: 'AccessDenied',
      message: expect.stringMatching(/GitRepository other\/apps .*--no-cross-namespace-refs.*create a source in shop/),
    });
  });
});
