import { describe, expect, it } from '@jest/globals';
import type { FoundTemplate } from '#controllers/application/model/spec/template-lookup.js';
import { valuesQuestion, valuesViolations } from '#controllers/application/model/destinations/template-use.js';
import { validateValues, type SchemaResult } from '#lib/json/json-schema.js';
import { application, deploy, type Deploy, entriesOf } from './builders.js';

const TEMPLATE: FoundTemplate = {
  inUse: { kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision: 1 },
  spec: {
    sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shop' },
    chart: { chart: 'web' },
    valuesSchema: { required: ['replicas'], properties: { replicas: { type: 'integer', minimum: 1 } } },
  },
};

function violationOf(more: Partial<Deploy>, result?: SchemaResult) {
  const entries = entriesOf(application([deploy('eu', 'eu', more)]));
  const { schema, values } = valuesQuestion(entries, TEMPLATE)!;
  const violations = valuesViolations(entries, TEMPLATE, result ?? validateValues(schema, values));
  return violations.get(entries[0]!.path)?.message.replace('spec.fluxApp.spec.config.helmRelease.', '');
}

describe('values', () => {
  it('that do not fit are named with their path and the schema', () => {
    expect(violationOf({ values: { replicas: 0 } })).toBe(
      'deploy[0].values.replicas: must be >= 1 (schema of HelmTemplate shop/web)',
    );
  });

  it('may lack something only when it can come from elsewhere', () => {
    expect(violationOf({})).toContain("deploy[0].values: must have required property 'replicas'");
    expect(violationOf({ values: { replicas: null } })).toContain('must have required property');
    expect(violationOf({ valuesFrom: [{ kind: 'Secret', name: 'more' }] })).toBeUndefined();
  });

  it('that fit are fine', () => {
    expect(violationOf({ values: { replicas: 2 } })).toBeUndefined();
  });

  it('cannot be judged by a schema that cannot be used', () => {
    expect(violationOf({ values: { replicas: 2 } }, { problem: 'validating values takes longer than 3 s' })).toBe(
      'HelmTemplate shop/web cannot be used: spec.valuesSchema: validating values takes longer than 3 s',
    );
  });

  it('are not asked about without a schema', () => {
    const entries = entriesOf(application([deploy('eu', 'eu')]));
    expect(valuesQuestion(entries, undefined)).toBeUndefined();
  });
});
